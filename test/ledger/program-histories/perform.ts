import { noTerms } from "#domain/commission.ts";
import { day, type Sale } from "./book.ts";
import { type Both, codes, ownerOf, termsOf } from "./both.ts";
import type { Command } from "./commands.ts";
import type { Changes } from "./corrections.ts";
import type { Click } from "./events.ts";
import type { Expected } from "./model.ts";
import type { Outcome } from "./program.ts";

type Of<Kind extends Command["kind"]> = Extract<Command, { readonly kind: Kind }>;
/** The service's response and the expected one. Undefined if no call was sent, or if its response isn't compared. */
type Done = readonly [is: Outcome, mustBe: Expected] | undefined;
type Act<Kind extends Command["kind"]> = (both: Both, command: Of<Kind>, i: number) => Promise<Done>;

/**
 * Performs a command on the service and on the model. `i` is its index in the history, by which its instants differ
 * from others.
 */
export const perform = (both: Both, command: Command, i: number): Promise<Done> =>
  acts[command.kind](both, command as never, i);

/** A time in ms that is shorter than the time between two events. */
const moment = 500;

const shownClicks = ({ clicks }: Both, numbers: readonly number[]): readonly Click[] =>
  clicks.filter(({ n }) => numbers.includes(n)).toSorted((a, b) => numbers.indexOf(a.n) - numbers.indexOf(b.n));

const nth = ({ sent }: Both, n: number) => sent[n % sent.length];

/** Returns an instant that no other event has. */
const instantOf = ({ start, model }: Both, { days, isNow }: Of<"lead" | "sale">, i: number): number =>
  isNow ? model.book.now - moment / 2 : start - days * day + i * 1_000;

/** The sale's newest version. */
const saleOf = (both: Both, n: number): Sale | undefined => {
  const known = nth(both, n);
  return known && both.model.newest(known.transactionId);
};

async function sendLead(both: Both, command: Of<"lead">, i: number): Promise<Done> {
  const { program, model } = both;
  const key = `c${command.customer}`;
  const [clicks, at] = [shownClicks(both, command.clicks), instantOf(both, command, i)];
  return [await program.lead(key, clicks, at), model.lead(key, clicks, at)];
}

async function sendSale(both: Both, command: Of<"sale">, i: number): Promise<Done> {
  const { sent } = both;
  const shown = {
    ...{ customerKey: `c${command.customer}`, at: instantOf(both, command, i), cents: command.cents },
    ...{ currency: command.currency, clicks: shownClicks(both, command.clicks), isRecurring: command.isRecurring },
    subscription: command.subscription,
    coupons: [...command.coupons].map((n: number) => codes[n] ?? ""),
  };
  sent.push({ transactionId: `t${sent.length}`, shown });
  return report(both, sent.length - 1);
}

async function report({ program, model, names, sent }: Both, n: number): Promise<Done> {
  const known = sent[n];
  if (known === undefined) return undefined;
  const { transactionId, shown } = known;
  const is = await program.sale(transactionId, shown);
  if (is.ok) names.set(is.answer.saleId, transactionId);
  return [is, model.sale(transactionId, shown)];
}

const repeatSale = (both: Both, { sale }: Of<"repeat">): Promise<Done> => report(both, sale % both.sent.length);

async function sendRefund(both: Both, { sale, asked, daysAgo, ...command }: Of<"refund">): Promise<Done> {
  const known = nth(both, sale);
  if (known === undefined) return undefined;
  const hasCents = asked === "amount" || asked === "total";
  const call = {
    ...{ asked, refundId: command.refundId, cents: hasCents ? command.cents : null },
    chargeTotalCents: asked === "cancel" ? null : command.charge,
  };
  const { transactionId } = known;
  const at = daysAgo === null ? null : both.start - daysAgo * day;
  return [await both.program.refund(transactionId, at, call), both.model.refund(transactionId, at, call)];
}

async function decide(both: Both, { sale: n, decision }: Of<"decide">): Promise<Done> {
  const sale = saleOf(both, n);
  if (sale === undefined) return undefined;
  const { commissionId } = await both.program.idsOf(sale.transactionId);
  return [await both.program.decide(commissionId, decision), both.model.decide(sale.id, decision)];
}

async function review(both: Both, { sale: n, action }: Of<"review">): Promise<Done> {
  const sale = saleOf(both, n);
  if (sale === undefined) return undefined;
  const { commissionId } = await both.program.idsOf(sale.transactionId);
  return [await both.program.review(commissionId, action), both.model.review(sale.id, action)];
}

async function correct(both: Both, command: Of<"correct">): Promise<Done> {
  const sale = saleOf(both, command.sale);
  const { book } = both.model;
  const isErased = sale !== undefined && book.customers.get(sale.customer.key) !== sale.customer;
  // A correction would read the sale's clicks, whose ids the erasure has changed.
  if (isErased && sale.shown.clicks.length > 0) return undefined;
  const changes = sale && changesOf(command, sale, book.now);
  if (sale === undefined || changes === undefined) return undefined;
  const { saleId } = await both.program.idsOf(sale.transactionId);
  const is = await both.program.correct(saleId, sale.shown.clicks, changes);
  if (is.ok) {
    const { recorded } = is.answer.after as { recorded: { sale: { id: number; transactionId: string } } };
    both.names.set(recorded.sale.id, recorded.sale.transactionId);
  }
  return [is, both.model.correct(sale.id, changes)];
}

/**
 * Returns the changes, if any. Only sales without clicks and coupons get another customer, because such sales have
 * attributed no customer.
 */
function changesOf(
  { what, cents, customer }: Of<"correct">,
  { shown, customer: { key } }: Sale,
  now: number,
): Changes | undefined {
  if (what === "cents") return cents === shown.cents ? undefined : { amountCents: cents };
  if (what === "at") return shown.at + moment < now ? { occurredAt: shown.at + moment } : undefined;
  const isPlain = shown.clicks.length === 0 && shown.coupons.length === 0;
  return isPlain && `c${customer}` !== key ? { customerKey: `c${customer}` } : undefined;
}

async function assign({ program, model, start }: Both, command: Of<"assign">): Promise<Done> {
  const { partner, payPast, source } = command;
  const instant = (days: number | null) => (days === null ? null : start - days * day - 500);
  const firstSaleAt = source === "import" ? instant(command.firstSale) : null;
  const to = { partner, since: instant(command.days), payPast, source, firstSaleAt };
  const key = `c${command.customer}`;
  return [await program.assign(key, to), model.assign(key, to)];
}

async function payout({ program, model }: Both, command: Of<"payout">): Promise<Done> {
  const { action, back, partner, untilDaysAgo, acknowledges } = command;
  const of = model.payouts.all.at(-1 - back);
  const until = untilDaysAgo === null ? null : model.book.now - untilDaysAgo * day;
  const call = { back, partner, until, acknowledges };
  if (action === "create") return [await program.payout(action, call), model.payouts.create(until)];
  if (of === undefined || (action === "finalize" && of.status !== "draft")) return undefined;
  return [await program.payout(action, call), model.payouts[action](of, acknowledges, partner)];
}

async function adjust({ program, model }: Both, { partner, cents }: Of<"adjust">): Promise<Done> {
  return [await program.adjust(partner, cents), model.payouts.adjust(partner, cents)];
}

async function erase({ program, model }: Both, { customer }: Of<"erase">): Promise<Done> {
  const key = `c${customer}`;
  return [await program.erase(key), model.erase(key)];
}

async function setPartner({ program, model }: Both, { partner, isActive }: Of<"partner">): Promise<undefined> {
  await program.setPartner(partner, isActive);
  model.book.isActive[partner] = isActive;
}

async function setGroup({ program, model: { book } }: Both, { partner, isIn }: Of<"group">): Promise<undefined> {
  await program.setGroup(partner, isIn);
  book.memberships.push({ partner, from: book.now, isIn });
}

async function setCoupon({ program, model, start }: Both, command: Of<"coupon">): Promise<undefined> {
  const coupon = model.book.coupons[command.coupon];
  const instant = (days: number | null) => (days === null ? null : start - days * day);
  const [validFrom, validUntil] = [instant(command.from), instant(command.until)];
  if (coupon === undefined || (validFrom !== null && validUntil !== null && validFrom >= validUntil)) return;
  const { isActive } = command;
  await program.setCoupon(command.coupon, { status: isActive ? "active" : "paused", validFrom, validUntil });
  Object.assign(coupon, { isActive, validFrom, validUntil });
}

async function setPolicy({ program, model: { book } }: Both, command: Of<"policy">): Promise<undefined> {
  const terms = termsOf(command.terms);
  const done = await program.setPolicy(command.owner, { ...noTerms, ...terms });
  if (!done.ok) throw new Error(JSON.stringify(done.refusal));
  book.policies.push({ owner: ownerOf(command.owner), from: book.now, ...terms });
}

async function wait({ program, model }: Both, { days }: Of<"wait">): Promise<undefined> {
  await program.wait(days);
  model.wait(days);
}

async function backUp(both: Both): Promise<undefined> {
  await both.program.backUp();
  both.backup = both.model.copy();
}

/** Restores the last backup. Later commands can repeat sales that the backup lacks, because `sent` still has them. */
async function restore(both: Both): Promise<undefined> {
  const { program, backup, model } = both;
  if (backup === undefined) return;
  both.model = backup.restored(model.book.now);
  await program.restore(both.model.payouts.all.length);
}

const acts: { readonly [Kind in Command["kind"]]: Act<Kind> } = {
  ...{ lead: sendLead, sale: sendSale, repeat: repeatSale, refund: sendRefund, decide, review, correct, assign },
  ...{
    payout,
    adjust,
    erase,
    partner: setPartner,
    coupon: setCoupon,
    policy: setPolicy,
    group: setGroup,
    wait,
    backup: backUp,
    restore,
  },
};
