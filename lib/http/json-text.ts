/** JSON of a value of type `Data`, written by PostgreSQL. It stays in parts, which are joined once: when they are sent. */
export class JsonText<Data> {
  declare readonly data: Data;
  constructor(readonly parts: readonly string[]) {}
}
