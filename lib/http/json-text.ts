/** JSON that PostgreSQL already wrote, to be passed on as it is: the text of a value of type `Data`. */
export class JsonText<Data> {
  declare readonly data: Data;
  constructor(readonly json: string) {}
}
