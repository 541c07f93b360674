import { amountOf, type Book, currencyOf, nextNumber, numberAt, type Sale } from "./book.ts";

export interface Line {
  readonly partner: number;
  readonly cents: number;
  readonly commissions: number;
  isLive: boolean;
  isPaid: boolean;
}

export interface Adjustment {
  readonly partner: number;
  readonly cents: number;
  readonly number: number;
  line: Line | null;
}

export interface Payout {
  status: "draft" | "final" | "paid" | "canceled";
  readonly cut: number;
  readonly proposed: number;
  lines: readonly Line[];
  /** True if the payout was final in a restored backup, until a call about it acknowledges the restore. */
  asks: boolean;
}

interface Paid {
  readonly all: Payout[];
  readonly adjustments: Adjustment[];
}

type Expected = Readonly<Record<string, unknown>>;

const refused: Expected = { refused: true };
const ownCurrency = "EUR";

const sum = (all: readonly number[]): number => all.reduce((so, each) => so + each, 0);

/**
 * The payouts of one currency. A line pays what became payable up to the payout's cutoff, less all refunds and
 * deductions so far.
 */
export class Payouts {
  readonly #book: Book;
  readonly all: Payout[];
  readonly adjustments: Adjustment[];
  /** True after a restore, until a finalized payout acknowledges it. */
  asks = false;

  constructor(book: Book, { all, adjustments }: Paid = { all: [], adjustments: [] }) {
    this.#book = book;
    this.all = all;
    this.adjustments = adjustments;
  }

  adjust(partner: number, cents: number): Expected {
    this.adjustments.push({ partner, cents, number: nextNumber(this.#book), line: null });
    return { adjusted: cents };
  }

  create(until: number | null): Expected {
    if (this.all.some(({ status }) => status === "draft")) return refused;
    const cut = until === null ? nextNumber(this.#book) : numberAt(this.#book, until);
    const total = sum(this.#proposed(cut).map(({ cents }) => cents));
    if (total === 0) return refused;
    const payout: Payout = { status: "draft", cut, proposed: total, lines: [], asks: false };
    this.all.push(payout);
    return { status: "draft", total };
  }

  /** `acknowledges` is true if the call acknowledges the last restore. It has no effect if nothing was restored. */
  finalize(payout: Payout, acknowledges: boolean): Expected {
    if (payout.status !== "draft" || (this.asks && !acknowledges)) return refused;
    const proposed = this.#proposed(payout.cut);
    if (proposed.length === 0) return refused;
    this.asks = false;
    payout.lines = proposed.map(({ partner, cents, sales, adjustments }) => {
      const line = { partner, cents, commissions: sales.length, isLive: true, isPaid: false };
      for (const each of [...sales, ...adjustments]) each.line = line;
      return line;
    });
    payout.status = "final";
    return shown(payout);
  }

  confirm(payout: Payout, acknowledges: boolean): Expected {
    if (payout.status === "canceled" || !isAnswered(payout, acknowledges)) return refused;
    const finalized = payout.status === "draft" ? this.finalize(payout, acknowledges) : undefined;
    if (finalized !== undefined && "refused" in finalized) return finalized;
    payout.status = "paid";
    for (const line of payout.lines) line.isPaid = true;
    return shown(payout);
  }

  cancel(payout: Payout, acknowledges: boolean): Expected {
    if (payout.status === "paid" || !isAnswered(payout, acknowledges)) return refused;
    for (const line of payout.lines) this.#end(line);
    payout.status = "canceled";
    return shown(payout);
  }

  file(payout: Payout, acknowledges: boolean): Expected {
    const { status } = payout;
    return status === "draft" || status === "canceled" || !isAnswered(payout, acknowledges) ? refused : {};
  }

  fail(payout: Payout, _: boolean, partner: number): Expected {
    const line = payout.lines.find((each) => each.partner === partner);
    if (line === undefined || payout.status !== "paid") return refused;
    this.#end(line);
    return shown(payout);
  }

  /** Returns the partner's pending, payable, in-payout and paid amounts. */
  accountsOf(partner: number, currency = ownCurrency): readonly [number, number, number, number] {
    const linesOf = (status: Payout["status"]) =>
      this.all.filter((payout) => payout.status === status && currency === ownCurrency).flatMap(({ lines }) => lines);
    const sumOf = (status: Payout["status"]) =>
      sum(
        linesOf(status)
          .filter((line) => line.isLive && line.partner === partner)
          .map(({ cents }) => cents),
      );
    const [inPayout, paid] = [sumOf("final"), sumOf("paid")];
    const sales = this.#salesOf(partner, currency);
    const earned = (isPending: boolean) =>
      sum(sales.filter(({ commission: { status } }) => (status === "pending") === isPending).map(amountOf));
    const adjusted = this.adjustments.filter((each) => each.partner === partner && currency === ownCurrency);
    const payable = earned(false) + sum(adjusted.map(({ cents }) => cents)) - inPayout - paid;
    return [earned(true), payable, inPayout, paid];
  }

  /** The lines of all payouts that were ever finalized. */
  shownLines(): readonly string[] {
    const lines = this.all.flatMap((payout) => payout.lines);
    return lines.map(({ partner, cents, commissions }) => `${partner} ${cents} ${commissions}`).toSorted();
  }

  #salesOf(partner: number, currency = ownCurrency): readonly Sale[] {
    return this.#book.sales.filter((sale) => sale.partner === partner && currencyOf(sale) === currency);
  }

  #end(line: Line): void {
    line.isLive = false;
    for (const each of [...this.#book.sales, ...this.adjustments]) if (each.line === line) each.line = null;
  }

  #proposed(cut: number) {
    return this.#book.isActive.flatMap((isActive, partner) => {
      const approved = this.#salesOf(partner).filter(({ commission: { status } }) => status === "approved");
      const free = approved.filter(({ line }) => line === null);
      const isLater = ({ payableNumber }: Sale) => (payableNumber ?? 0) > cut;
      const adjusted = this.adjustments.filter((each) => each.partner === partner && each.line === null);
      const later = adjusted.filter(({ cents, number }) => cents > 0 && number > cut);
      const [, payable] = this.accountsOf(partner);
      const cents = payable - sum(free.filter(isLater).map(amountOf)) - sum(later.map((each) => each.cents));
      if (cents < 1 || !isActive) return [];
      const sales = free.filter((sale) => !isLater(sale));
      return [{ partner, cents, sales, adjustments: adjusted.filter(({ number }) => number <= cut) }];
    });
  }
}

/** Returns false if the payout was final in a restored backup and no call about it has acknowledged the restore yet. */
function isAnswered(payout: Payout, acknowledges: boolean): boolean {
  if (payout.asks && !acknowledges) return false;
  payout.asks = false;
  return true;
}

/** A canceled draft keeps the total that it proposed. */
const shown = ({ status, proposed, lines }: Payout): Expected => ({
  status,
  total: lines.length === 0 ? proposed : sum(lines.map(({ cents }) => cents)),
});
