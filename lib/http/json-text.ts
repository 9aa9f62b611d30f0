/**
 * JSON of a value of type `Data`, written by PostgreSQL. It stays in parts: joining megabytes would block the event
 * loop, and the parts are sent one by one anyway.
 */
export class JsonText<Data> {
  declare readonly data: Data;
  constructor(readonly parts: readonly string[]) {}
}
