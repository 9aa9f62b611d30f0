import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { ApiError } from "@/lib/api/api-error";
import { MAX_ENTRIES, MAX_PARTS, tooManyEntries, tooManyParts } from "@/lib/ingest/body-bounds";

/** Called with the number of each field of a message. False: the field is passed over. */
type Field = (number: number) => boolean;

/** An attribute has a field of its own, a key, and a value in a message of its own. An entry has a few more. */
const MAX_FIELDS = 6 * MAX_PARTS;

/** A body in Protocol Buffers. It is read field by field, never beyond the end of a message, and counted meanwhile. */
export class ProtobufBody {
  readonly reader: BinaryReader;
  #type = WireType.Varint;
  #entries = 0;
  #parts = 0;
  #fields = 0;

  constructor(
    readonly bytes: Buffer,
    readonly hint: string,
  ) {
    this.reader = new BinaryReader(bytes);
  }

  /** @throws ApiError 413 when there is too much in it; 400 when it is not the message that `what` names, or not whole. */
  read(what: string, field: Field): void {
    try {
      this.#fieldsTo(this.bytes.length, field);
    } catch (error) {
      throw error instanceof ApiError ? error : new ApiError(400, `The body is not a whole ${what}.`);
    }
  }

  /** A message in the field that was reached. */
  message(field: Field): true {
    const length = this.length();
    this.#fieldsTo(this.reader.pos + length, field);
    return true;
  }

  entry(read: () => void): true {
    this.#entries++;
    if (this.#entries > MAX_ENTRIES) throw tooManyEntries(this.hint);
    read();
    return true;
  }

  /** A message that is part of an entry. */
  part(field: Field): true {
    this.#parts++;
    if (this.#parts > MAX_PARTS) throw tooManyParts(this.hint);
    return this.message(field);
  }

  /** Passes over an entry that is read `again`, once what stands behind it is known. */
  later(places: number[]): false {
    this.requireType(WireType.LengthDelimited);
    places.push(this.reader.pos);
    return false;
  }

  again(places: readonly number[], read: () => void): void {
    const end = this.reader.pos;
    for (const place of places) {
      this.reader.pos = place;
      this.#type = WireType.LengthDelimited;
      this.entry(read);
    }
    this.reader.pos = end;
  }

  /** Of the message or text in the field that was reached. */
  length(): number {
    this.requireType(WireType.LengthDelimited);
    return this.reader.uint32();
  }

  requireType(type: WireType): void {
    if (this.#type !== type) throw new RangeError("A field has the type of another.");
  }

  #fieldsTo(end: number, field: Field): void {
    while (this.reader.pos < end) {
      this.#fields++;
      if (this.#fields > MAX_FIELDS) throw tooManyParts(this.hint);
      const [number, type] = this.reader.tag();
      // Their fields would not be counted, and nobody sends them.
      if (type === WireType.StartGroup) throw new RangeError("a group");
      this.#type = type;
      if (!field(number)) this.reader.skip(type, number);
    }
    if (this.reader.pos !== end) throw new RangeError("A field ends behind its message.");
  }
}
