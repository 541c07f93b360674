import { type FrozenLine, lineEvidence, payoutEvidence } from "#domain/line-evidence.ts";
import { type Broken, field, isBehind, type Read, type Recount, type Scope } from "./invariant.ts";

const rules = {
  line: "lines whose person, address or amount changed after their payout was finalized",
  payout: "payouts whose lines don't match the digest in the audit trail",
} as const;

interface Payout {
  readonly id: number;
  readonly lines: number;
  readonly told: string | null;
  readonly entry: number;
}

interface Line extends FrozenLine {
  readonly payout: number;
  readonly salt: string | null;
  readonly evidence: string | null;
  /** 1 if the address was deleted together with its salt. */
  readonly isErased: 0 | 1;
}

/** The maximum number of lines in one statement. */
const linesOfQuestion = 2_000;

const told = field("a.after", "evidence");

/** A page of lines, without those that an earlier version of the service finalized. */
const page = (of: Scope, last: Payout | undefined): string => `
  select json_object('id', p.id, 'lines', p.line_count, 'told', ${told}, 'entry', a.id) from payouts p
  cross join audit_entries a on a.program_id = p.program_id and a.subject = 'payout ' || p.id and a.action = 'payout.finalized'
  where ${of("p")} and ${isBehind("p", last)} and (${told} is not null or exists (
    select 1 from payout_lines l where l.payout_id = p.id and l.evidence is not null)) order by p.id`;

const linesOf = (payouts: readonly Payout[]): string => `
  select json_object('payout', l.payout_id, 'id', l.id, 'partnerId', l.partner_id, 'name', l.name, 'email', l.email,
    'externalId', l.external_id, 'paymentId', l.payment_id, 'detailsChangedAt', l.details_changed_at, 'beforeCents', l.before_cents,
    'amountCents', l.amount_cents, 'salt', l.evidence_salt, 'evidence', l.evidence,
    'isErased', p.erasure_id is not null and coalesce(l.email, l.external_id) is null)
  from payout_lines l left join partners p on p.id = l.partner_id
  where l.payout_id in (${payouts.map(({ id }) => id).join(", ")}) and l.state in ('live', 'failed')
  order by l.payout_id, l.partner_id`;

const isFrozen = ({ salt, evidence, isErased, ...line }: Line): boolean =>
  evidence !== null && (isErased === 1 || (salt !== null && lineEvidence(salt, line) === evidence));

async function* wrongOf(payouts: readonly Payout[], read: Read): AsyncIterable<Broken> {
  if (payouts.length === 0) return;
  const lines = Map.groupBy((await read(linesOf(payouts))) as readonly Line[], ({ payout }) => payout);
  for (const { id, told: frozen, entry } of payouts) {
    const ofPayout = lines.get(id) ?? [];
    for (const line of ofPayout) {
      if (isFrozen(line)) continue;
      yield { broken: rules.line, row: { line: line.id, payout: id, partner: line.partnerId } };
    }
    if (payoutEvidence(ofPayout.flatMap(({ evidence }) => evidence ?? [])) === frozen) continue;
    yield { broken: rules.payout, row: { payout: id, audit_entry: entry } };
  }
}

export const lineRecount: Recount<Payout> = {
  finds: Object.values(rules),
  page,
  async *check(payouts, read) {
    let asked: Payout[] = [];
    let lines = 0;
    for (const payout of payouts) {
      asked.push(payout);
      lines += payout.lines;
      if (lines < linesOfQuestion) continue;
      yield* wrongOf(asked, read);
      [asked, lines] = [[], 0];
    }
    yield* wrongOf(asked, read);
  },
};
