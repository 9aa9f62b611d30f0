/**
 * JSON that PostgreSQL already wrote, to be passed on as it is: the text of a value of type `Data`, in parts, because
 * putting megabytes together only to send them piece by piece would hold up everybody else.
 */
export class JsonText<Data> {
  declare readonly data: Data;
  constructor(readonly parts: readonly string[]) {}
}
