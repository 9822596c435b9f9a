const [LINE_FEED, RETURN, QUOTE, COMMA] = [10, 13, 34, 44];
/** Stand for a comma and for line ends inside of quotes. No number and no declared word contains them. */
const [COMMA_MARK, LINE_FEED_MARK, RETURN_MARK] = [0x1c, 0x1d, 0x1e];
const MARKS: Readonly<Record<string, string>> = { '\u001C': ',', '\u001D': '\n', '\u001E': '\r' };
const BYTES_AT_FIRST = 256;

export const STRAY_RETURN = 'the field has a carriage return that does not end the line';

/**
 * One record of RFC 4180, copied without its quotes. Separators that were inside of quotes are replaced by marks, so
 * that the copy has the fields of the record and is read like a record without quotes.
 */
export class QuotedRecord {
  /** Why the record is not one of RFC 4180, and the number of the field; null: it is one. */
  fault: string | null = null;
  fieldNumber = 0;
  /** Lines of the record. */
  lineCount = 0;
  #copy = new Uint8Array(BYTES_AT_FIRST);
  #length = 0;

  /** The copy, up to and including the line end. Valid until the next record. */
  bytes(): Uint8Array {
    return this.#copy.subarray(0, this.#length);
  }

  /** Reads the record at `at`. Returns the place after it; null when the record has no end yet, or a fault. */
  read(bytes: Uint8Array, at: number): number | null {
    this.#length = 0;
    this.fault = null;
    this.fieldNumber = 1;
    this.lineCount = 1;
    while (at < bytes.length) {
      const after = bytes[at] === QUOTE ? this.#readQuoted(bytes, at + 1) : this.#readPlain(bytes, at);
      if (after === null || after >= bytes.length) return null;
      const end = bytes[after]!;
      this.#add(end);
      at = after + 1;
      if (end === LINE_FEED) return at;
      if (end === COMMA) this.fieldNumber += 1;
      else if (end === RETURN && at >= bytes.length) return null;
      else if (end !== RETURN || bytes[at] !== LINE_FEED)
        return this.#fail('the field has text after its closing quote');
    }
    return null;
  }

  /** Copies a field without quotes. Returns the place of its end; null: a fault. */
  #readPlain(bytes: Uint8Array, at: number): number | null {
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at]!;
      if (byte === QUOTE) return this.#fail('the field has a quote but does not begin with it');
      if (byte === COMMA || byte === LINE_FEED) return at;
      if (byte === RETURN) return bytes[at + 1] === LINE_FEED ? at : this.#fail(STRAY_RETURN);
      this.#add(byte);
    }
    return at;
  }

  /** Copies a field from after its opening quote. Returns the place after its closing quote; null: it is not closed. */
  #readQuoted(bytes: Uint8Array, at: number): number | null {
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        if (bytes[at + 1] !== QUOTE) return at + 1;
        at += 1;
        this.#add(QUOTE);
      } else if (byte === COMMA) this.#add(COMMA_MARK);
      else if (byte === RETURN) this.#add(RETURN_MARK);
      else if (byte === LINE_FEED) {
        this.lineCount += 1;
        this.#add(LINE_FEED_MARK);
      } else this.#add(byte);
    }
    return null;
  }

  #fail(what: string): null {
    this.fault = what;
    return null;
  }

  #add(byte: number): void {
    if (this.#length === this.#copy.length) {
      const larger = new Uint8Array(this.#copy.length * 2);
      larger.set(this.#copy);
      this.#copy = larger;
    }
    this.#copy[this.#length] = byte;
    this.#length += 1;
  }
}

/** A text of a copy with the separators that it had. */
export function withoutMarks(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u001C-\u001E]/g, (mark) => MARKS[mark] ?? mark);
}
