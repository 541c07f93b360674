import { type Commission, CommissionModel, sumOf } from "./commission-model.ts";
import { changedLater, isOpen, type Line } from "./line-model.ts";
import type { Shown } from "./payout-shown.ts";

type Settler = "person" | "api";

interface Payout {
  status: "draft" | "final" | "paid" | "canceled";
  settledBy: Settler;
  /** True if a second person has confirmed a payout that is settled by API. */
  isConfirmed: boolean;
  /** True if the payout was final when the database was restored, and the restore isn't acknowledged for it. */
  asksAfterRestore: boolean;
  /** True if the payout had been finalized when the database was restored. */
  wasRestored: boolean;
  readonly cut: number;
  readonly minimumCents: number;
  lines: readonly Line[];
  number: number;
}

/** The person who sends the call, and whether they acknowledge a restore. Person "one" finalizes all payouts. */
export interface Approving {
  readonly by: "one" | "two";
  readonly acknowledges: boolean;
}

/** The sender of the call, and a member's acknowledgment of a restore. */
export interface Failing {
  readonly isByKey: boolean;
  readonly acknowledges: boolean;
}

/**
 * Models the payouts of one program in one currency. Numbers are a separate sequence and are compared only with each
 * other. The refunded amount is taken from the service's response, which other tests verify.
 */
export class PayoutModel extends CommissionModel {
  readonly payouts: Payout[] = [];
  readonly #needsTwo: boolean;
  #asksAfterRestore = false;
  /** The sum of late settlements by partner: settlements reported after their line had failed. */
  readonly lateCents: [number, number] = [0, 0];

  /** With `needsTwo`, two people must approve each payout. */
  constructor(isSuspicious = false, needsTwo = false) {
    super(isSuspicious);
    this.#needsTwo = needsTwo;
  }

  #live(partner: number): readonly { readonly payout: Payout; readonly line: Line }[] {
    return this.payouts
      .filter(({ status }) => status === "final" || status === "paid")
      .flatMap((payout) => payout.lines.map((line) => ({ payout, line })))
      .filter(({ line }) => line.partner === partner && line.state === "live");
  }

  #holder(commission: Commission): { readonly payout: Payout; readonly line: Line } | undefined {
    return this.#live(commission.partner).find(({ line }) => line.commissions.includes(commission));
  }

  protected isHeldByLine(commission: Commission): boolean {
    return this.#holder(commission) !== undefined;
  }

  protected shownStatus(commission: Commission): string {
    const holder = this.#holder(commission);
    if (holder === undefined) return commission.status;
    const { payout, line } = holder;
    const isPaid = payout.settledBy === "api" ? line.settlement !== undefined : payout.status === "paid";
    return isPaid ? "paid" : "approved";
  }

  create(minimumCents: number, until: number | undefined, settledBy: Settler): string {
    if (this.payouts.some(({ status }) => status === "draft")) return "draft_exists";
    const cut = until === undefined ? this.posted.length : this.posted.filter((at) => at <= until).length;
    const payout: Payout = {
      ...{ status: "draft", settledBy, isConfirmed: false, asksAfterRestore: false, wasRestored: false },
      ...{ cut, minimumCents, lines: [], number: 0 },
    };
    payout.lines = this.#lines(payout);
    if (payout.lines.every(({ state }) => state === "skipped")) return "nothing_payable";
    this.payouts.push(payout);
    return "ok";
  }

  #lines({ cut, minimumCents, lines }: Payout): readonly Line[] {
    return [0, 1].flatMap((partner): readonly Line[] => {
      const live = this.#live(partner);
      const free = this.commissions.filter(
        (each) => each.partner === partner && each.status === "approved" && this.#holder(each) === undefined,
      );
      const own = this.adjustments.filter((each) => each.partner === partner);
      const bonuses = own.filter((each) => each.cents > 0 && !live.some(({ line }) => line.bonuses.includes(each)));
      const settled = Math.max(0, ...live.map(({ payout }) => payout.number));
      const writeOffs = own.filter((each) => each.cents < 0 && each.number > settled);
      const isLater = ({ number = 0 }: { readonly number?: number | undefined }) => number > cut;
      const isIn = (each: { readonly number?: number | undefined }) => !isLater(each);
      const { payable } = this.of(partner);
      const cents = payable - sumOf(free.filter(isLater)) - sumOf(bonuses.filter(isLater));
      // A partner with a balance of 0 counts as skipped only if the 0 isn't the sum of a debt and a commission after
      // the cutoff.
      if ((cents === 0 || payable === 0) && !lines.some((line) => line.partner === partner)) return [];
      const commissions = free.filter(isIn);
      return [
        {
          partner,
          state: cents < minimumCents ? "skipped" : "proposed",
          settlement: undefined,
          lateSettlement: undefined,
          wasDue: false,
          cents,
          commissions,
          commissionsCents: sumOf(commissions),
          atPaymentCents: undefined,
          adjustmentsCents: sumOf(bonuses.filter(isIn)) + sumOf(writeOffs),
          bonuses: bonuses.filter(isIn),
        },
      ];
    });
  }

  /** Models a restore from a backup that contains everything. */
  restore(): void {
    this.#asksAfterRestore = true;
    for (const payout of this.payouts) {
      payout.asksAfterRestore = payout.status === "final";
      payout.wasRestored = payout.number > 0;
    }
  }

  finalize(
    index: number,
    expectedCents: number | undefined,
    acknowledges: boolean,
    settledBy: Settler | undefined = this.payouts[index]?.settledBy,
  ): string {
    const payout = this.payouts[index];
    if (payout === undefined) return "not_found";
    if (payout.status === "canceled") return "payout_closed";
    if (payout.status !== "draft" && settledBy !== payout.settledBy) return "differs";
    if (payout.status === "draft" && this.#asksAfterRestore && !acknowledges) return "restored";
    const lines = payout.status === "draft" ? this.#lines(payout) : payout.lines;
    const paid = lines.filter(({ state }) => state !== "skipped");
    if (paid.length === 0) return "all_left_out";
    if (expectedCents !== undefined && sumOf(paid) !== expectedCents) return "total_differs";
    if (payout.status !== "draft") return "ok";
    for (const line of paid) {
      line.state = "live";
      this.of(line.partner).payable -= line.cents;
      this.of(line.partner).inPayout += line.cents;
    }
    payout.lines = lines;
    payout.settledBy = settledBy ?? payout.settledBy;
    payout.number = this.next();
    payout.status = "final";
    this.#asksAfterRestore = false;
    return "ok";
  }

  pay(index: number, { by, acknowledges }: Approving): string {
    const payout = this.payouts[index];
    if (payout === undefined) return "not_found";
    if (payout.status === "canceled") return "payout_closed";
    if (payout.settledBy === "api") return this.#confirm(payout, { by, acknowledges });
    if (payout.status === "paid") return "ok";
    if (payout.status === "draft") {
      if (this.#needsTwo) return "payout_not_final";
      const finalized = this.finalize(index, undefined, acknowledges);
      if (finalized !== "ok") return finalized;
    } else {
      if (this.#needsTwo && by === "one") return "same_person";
      if (payout.asksAfterRestore && !acknowledges) return "restored";
    }
    payout.asksAfterRestore = false;
    for (const line of payout.lines.filter(({ state }) => state === "live")) this.#settle(line);
    payout.status = "paid";
    return "ok";
  }

  #confirm(payout: Payout, { by, acknowledges }: Approving): string {
    if (payout.status === "draft") return this.#needsTwo ? "payout_not_final" : "settled_by_api";
    const asks = payout.status === "final" && payout.asksAfterRestore;
    if (!this.#needsTwo && !asks && !acknowledges) return "settled_by_api";
    const isDue = payout.status === "paid" || !this.#needsTwo || payout.isConfirmed;
    if (isDue && !asks) return "ok";
    const isSame = !isDue && by === "one";
    if (isSame && !asks) return "same_person";
    if (asks && !acknowledges) return "restored";
    payout.asksAfterRestore = false;
    if (!isSame) payout.isConfirmed = true;
    return "ok";
  }

  #settle(line: Line): void {
    const { partner, cents } = line;
    line.atPaymentCents = sumOf(line.commissions);
    this.next();
    this.of(partner).inPayout -= cents;
    this.of(partner).paid += cents;
  }

  #giveBack({ partner, cents }: Line): void {
    this.of(partner).inPayout -= cents;
    this.of(partner).payable += cents;
  }

  /** Once a payout that is settled by API has no open line, it is paid, or canceled if no line was settled. */
  #close(payout: Payout): void {
    const lines = payout.lines.filter(({ state }) => state !== "skipped");
    if (payout.status !== "final" || lines.some(isOpen)) return;
    payout.status = lines.some(({ settlement }) => settlement !== undefined) ? "paid" : "canceled";
  }

  /** Returns the line that an API key refers to, or the code of the refusal. */
  #keyed(index: number, partner: number): string | { readonly payout: Payout; readonly line: Line } {
    const payout = this.payouts[index];
    if (payout === undefined) return "not_found";
    if (payout.number === 0) return "payout_not_final";
    if (payout.settledBy === "person") return "settled_by_person";
    const line = payout.lines.find((each) => each.partner === partner);
    return line === undefined || line.state === "skipped" ? "not_found" : { payout, line };
  }

  #hasBeenDue({ isConfirmed }: Payout): boolean {
    return !this.#needsTwo || isConfirmed;
  }

  #mayHaveBeenDue(payout: Payout): boolean {
    return payout.wasRestored || this.#hasBeenDue(payout);
  }

  settle(index: number, partner: number, id: string): string {
    const found = this.#keyed(index, partner);
    if (typeof found === "string") return found;
    const { payout, line } = found;
    if (id === line.settlement || id === line.lateSettlement) return "ok";
    if (line.lateSettlement !== undefined || (line.state === "live" && line.settlement !== undefined)) return "differs";
    if (payout.status === "final" && payout.asksAfterRestore) return "restored";
    if (line.state === "failed") {
      if (!line.wasDue) return "not_due";
      line.lateSettlement = id;
      this.adjust(partner, -line.cents);
      this.lateCents[partner === 0 ? 0 : 1] += line.cents;
      return "ok";
    }
    if (!this.#hasBeenDue(payout)) return "not_due";
    line.settlement = id;
    this.#settle(line);
    this.#close(payout);
    return "ok";
  }

  cancel(index: number, acknowledges: boolean): string {
    const payout = this.payouts[index];
    if (payout === undefined) return "not_found";
    const isByApi = payout.settledBy === "api";
    if (payout.status === "paid") return isByApi ? "nothing_due" : "payout_closed";
    if (payout.status === "final" && payout.asksAfterRestore && !acknowledges) return "restored";
    if (payout.status !== "canceled") this.next();
    if (payout.status === "final") {
      for (const line of payout.lines.filter(({ state }) => state === "live")) {
        if (isByApi && !isOpen(line)) continue;
        this.#giveBack(line);
        if (isByApi) {
          line.state = "failed";
          line.wasDue = this.#mayHaveBeenDue(payout);
        }
      }
      payout.asksAfterRestore = false;
      if (isByApi) {
        this.#close(payout);
        return "ok";
      }
    }
    payout.status = "canceled";
    return "ok";
  }

  fail(index: number, partner: number, { isByKey, acknowledges }: Failing): string {
    const keyed = isByKey ? this.#keyed(index, partner) : undefined;
    if (typeof keyed === "string") return keyed;
    const payout = this.payouts[index];
    if (payout === undefined) return "not_found";
    const line = payout.lines.find((each) => each.partner === partner);
    if (line === undefined || line.state === "skipped") return "not_found";
    if (line.state === "failed") return "ok";
    const isByApi = payout.settledBy === "api";
    if (isByApi ? payout.number === 0 : payout.status !== "paid") return "payout_not_paid";
    const isGivenBack = isByApi && isOpen(line);
    if (isGivenBack && payout.asksAfterRestore && (isByKey || !acknowledges)) return "restored";
    this.next();
    line.state = "failed";
    line.wasDue = this.#mayHaveBeenDue(payout);
    if (isGivenBack) this.#giveBack(line);
    else {
      this.of(partner).paid -= line.cents;
      this.of(partner).payable += line.cents;
    }
    if (isByApi) this.#close(payout);
    return "ok";
  }

  #shownPayout({ status, settledBy, number, lines }: Payout): string {
    if (settledBy === "person") return status;
    const isClosed = number > 0;
    const sum = (wanted: (line: Line) => boolean) => sumOf(isClosed ? lines.filter(wanted) : []);
    return [
      ...[status, settledBy, sum(({ settlement }) => settlement !== undefined)],
      sum(({ state, settlement }) => state === "failed" && settlement === undefined),
      sum(({ state, settlement }) => state === "failed" && settlement !== undefined),
    ].join(" ");
  }

  /** Everything that a reader of the API sees, in the order of creation. */
  shown(): Shown {
    return {
      accounts: this.accounts,
      commissions: this.commissions.map(
        (each) => `${each.partner} ${this.shownStatus(each)} ${each.cents}${each.isHeld ? " held" : ""}`,
      ),
      payouts: this.payouts.map((payout) => [
        this.#shownPayout(payout),
        ...payout.lines.map((line) =>
          [
            line.partner,
            line.state,
            line.settlement ?? "-",
            line.lateSettlement ?? "-",
            line.cents,
            line.commissions.length,
            line.commissionsCents,
            line.adjustmentsCents,
            changedLater(line),
          ].join(" "),
        ),
      ]),
    };
  }
}
