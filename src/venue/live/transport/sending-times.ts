/** When the requests without an answer were sent. The library names a request by its text only, when it shows an answer. */
export class SendingTimes {
  /** By the text of the request, the earliest first. */
  readonly #underWay = new Map<string, number[]>();

  /** Notes the time while the request is under way. */
  async during<Answer>(text: string, sentAtMs: number, send: () => Promise<Answer>): Promise<Answer> {
    const times = this.#underWay.get(text) ?? [];
    this.#underWay.set(text, times);
    times.push(sentAtMs);
    try {
      return await send();
    } finally {
      times.splice(times.indexOf(sentAtMs), 1);
      if (times.length === 0) this.#underWay.delete(text);
    }
  }

  /** The earliest time of the requests with that text; null: none is under way. */
  earliest(text: string): number | null {
    return this.#underWay.get(text)?.[0] ?? null;
  }
}
