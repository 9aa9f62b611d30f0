/**
 * JSON of a value of type `Data` as PostgreSQL wrote it. It stays in parts: joining megabytes would hold up the event loop,
 * and they are sent piece by piece anyway.
 */
export class JsonText<Data> {
  declare readonly data: Data;
  constructor(readonly parts: readonly string[]) {}
}
