/** A line as the service's API returns it. */
interface WireLine {
  readonly line_id: number;
  readonly partner_id: number;
  readonly external_id: string;
  readonly currency: string;
  readonly amount_cents: number;
  state: "due" | "settled" | "given_back";
  settlement_id: string | null;
}

const pageSize = 50;

const answer = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });

const refusal = (status: number, details: object, headers?: Record<string, string>) =>
  answer(status, { data: null, error: { status, name: "Error", message: "Refused", details } }, headers);

/** Responses of the service that refuse a report. */
export const refuses = {
  differs: () => refusal(409, { code: "differs", differences: ["settlement_id"] }),
  missing: () => refusal(404, { code: "not_found" }),
  notDue: () => refusal(409, { code: "not_due" }),
  restored: () => refusal(409, { code: "restored" }),
  unauthorized: () => refusal(403, { code: "insufficient_scope", needed: "settle" }),
  unavailable: () => refusal(503, { code: "unavailable" }, { "retry-after": "60" }),
};

/** Lists and settles the lines of one payout like the service. */
export class FakeService {
  readonly lines: WireLine[];
  /** Is called before a report is decided. It may change the lines, return another response, or throw. */
  onReport: (lineId: number) => Response | undefined = () => undefined;
  /** If true, open lines wait for a second person, so they aren't listed as due. */
  isWaiting = false;

  constructor(count: number, currency = "EUR") {
    this.lines = Array.from({ length: count }, (_, i) => ({
      ...{ line_id: i + 1, partner_id: 100 + i, external_id: `user-${i + 1}`, currency },
      ...{ amount_cents: 1_001 + i, state: "due", settlement_id: null },
    }));
  }

  settlements(): readonly (string | null)[] {
    return this.lines.map(({ settlement_id }) => settlement_id);
  }

  /** Makes the first lines due again, as if the service were restored from a backup. */
  forget(count: number): void {
    for (const line of this.lines.slice(0, count)) Object.assign(line, { state: "due", settlement_id: null });
  }

  giveBack(lineId: number): void {
    Object.assign(this.lines[lineId - 1] ?? {}, { state: "given_back" });
  }

  readonly fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { pathname, searchParams } = new URL(String(url instanceof Request ? url.url : url));
    const [, lineId] = /\/lines\/(\d+)\/settle$/.exec(pathname) ?? [];
    if (lineId === undefined) {
      return answer(200, this.#page(String(searchParams.get("state")), Number(searchParams.get("cursor") ?? 0)));
    }
    const line = this.lines[Number(lineId) - 1];
    const { settlement_id } = JSON.parse(String(init?.body)) as { settlement_id: string };
    const other = this.onReport(Number(lineId));
    if (other !== undefined) return other;
    if (line === undefined) return refuses.missing();
    if (settlement_id.length > 255) {
      return refusal(400, { errors: [{ path: ["settlement_id"], message: "at most 255 characters" }] });
    }
    if (line.settlement_id !== null && line.settlement_id !== settlement_id) return refuses.differs();
    const late = line.state === "given_back";
    if (this.isWaiting && !late) return refuses.notDue();
    Object.assign(line, { settlement_id, ...(!late && { state: "settled" }) });
    return answer(200, { data: { ...line, settled_at: "2026-11-14T10:00:00.000Z", late } });
  };

  #page(of: string, after: number) {
    const isListed = !(this.isWaiting && of === "due");
    const lines = this.lines.filter(({ line_id, state }) => isListed && line_id > after && state === of);
    const data = lines.slice(0, pageSize).map((line) => ({ ...line, settled_at: null }));
    return { data, meta: { next_cursor: lines.length > pageSize ? String(data.at(-1)?.line_id) : null } };
  }
}

type Params = { amount: number; currency: string; metadata: Record<string, string> };
interface Transaction {
  readonly id: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Customers' balance transactions at Stripe. Idempotency keys are remembered until `forgetKeys`. */
export class FakeStripe {
  readonly calls: (readonly [customer: string, params: Params, options: { idempotencyKey: string }])[] = [];
  /**
   * The fault of every other call. `late` and `lost`: the credit is created, but the call fails. `never`: the call
   * fails and creates no credit. `twice`: the call arrives twice.
   */
  fault: "late" | "twice" | "never" | "lost" | undefined;
  readonly #transactions = new Map<string, Transaction[]>();
  readonly #keys = new Map<string, Transaction>();
  #count = 0;

  forgetKeys(): void {
    this.#keys.clear();
  }

  /** Adds a transaction that isn't the credit of a line. */
  other(customer: string): void {
    this.#add(customer, {});
  }

  creditsByLine(): Readonly<Record<string, number>> {
    const all = [...this.#transactions.values()].flat().flatMap(({ metadata }) => metadata.tributary_line ?? []);
    return Object.fromEntries([...Map.groupBy(all, (line) => line)].map(([line, those]) => [line, those.length]));
  }

  readonly customers = {
    listBalanceTransactions: async (
      customer: string,
      { limit, starting_after: after }: { limit: number; starting_after?: string },
    ) => {
      const all = this.#of(customer);
      const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
      return { data: all.slice(from, from + limit), has_more: from + limit < all.length };
    },
    createBalanceTransaction: async (customer: string, params: Params, options: { idempotencyKey: string }) => {
      this.calls.push([customer, params, options]);
      const isAffected = this.calls.length % 2 === 1 && this.fault !== undefined;
      if (isAffected && this.fault === "never") throw new Error("connection refused");
      const made = this.#create(customer, params, options.idempotencyKey);
      if (isAffected && this.fault === "twice") this.#create(customer, params, options.idempotencyKey);
      if (isAffected && (this.fault === "late" || this.fault === "lost")) throw new Error("timeout");
      return made;
    },
  };

  #create(customer: string, { metadata }: Params, key: string): Transaction {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const made = this.#add(customer, metadata);
    this.#keys.set(key, made);
    return made;
  }

  #add(customer: string, metadata: Readonly<Record<string, string>>): Transaction {
    this.#count += 1;
    const made = { id: `cbtxn_${this.#count}`, metadata };
    this.#transactions.set(customer, [made, ...this.#of(customer)]);
    return made;
  }

  #of(customer: string): Transaction[] {
    return this.#transactions.get(customer) ?? [];
  }
}
