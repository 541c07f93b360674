import { field, type Invariants } from "./invariant.ts";

/**
 * Joins the audit entry of a given action for each payout. The order of the joins keeps the planner from scanning all
 * entries for each payout.
 */
const ofPayout = "cross join audit_entries a on a.program_id = p.program_id and a.subject = 'payout ' || p.id";
const told = (name: string): string => field("a.after", name);

/** True if the line and the partner have different values, and no audit entry since the finalization explains this. */
const isRedirected = (column: string, name: string): string => `(
  l.${column} is not null and k.${column} is not l.${column} and not exists (
    select 1 from audit_entries a where a.program_id = l.program_id and a.subject = 'partner ' || l.partner_id
      and a.action = 'partner.updated' and a.id > f.id and iif(json_valid(a.after), json_type(a.after, '$.${name}'), null) is not null))`;

/** Missing evidence isn't a fault if an earlier version of the service didn't store it. */
export const evidenceInvariants: Invariants = {
  "lines left out of a payout in other numbers than the audit trail says": (of) => `
    select p.id as payout, a.id as audit_entry, ${told("skipped")} as told, x.skipped as found
    from payouts p ${ofPayout} and a.action = iif(p.finalized_number is null, 'payout.created', 'payout.finalized')
    left join (
      select payout_id, json_group_array(json_array(reason, lines)) as skipped from (
        select l.payout_id, l.reason, count(*) as lines from payout_lines l
        where ${of("l")} and l.state = 'skipped' group by l.payout_id, l.reason order by l.payout_id, l.reason
      ) group by payout_id
    ) x on x.payout_id = p.id
    where ${of("p")} and ${told("skipped")} <> coalesce(x.skipped, '[]')`,
  "payouts whose draft total differs from the audit trail": (of) => `
    select p.id as payout, a.id as audit_entry, ${told("totalCents")} as told, x.before_cents as found
    from payouts p ${ofPayout} and a.action = 'payout.created'
    left join (
      select l.payout_id, sum(l.before_cents) as before_cents from payout_lines l where ${of("l")} group by l.payout_id
    ) x on x.payout_id = p.id
    where ${of("p")} and ${told("totalCents")} <> iif(p.finalized_number is null, p.total_cents, coalesce(x.before_cents, 0))`,
  "lines with another address or external id than their partner has had since": (of) => `
    select l.id as line, l.partner_id as partner from payout_lines l cross join partners k on k.id = l.partner_id
    join (
      select a.program_id, a.subject, min(a.id) as id from audit_entries a
      where ${of("a")} and a.action = 'payout.finalized' group by a.program_id, a.subject
    ) f on f.program_id = l.program_id and f.subject = 'payout ' || l.payout_id
    where ${of("l")} and l.state in ('live', 'failed') and k.erasure_id is null
      and (${isRedirected("email", "email")} or ${isRedirected("external_id", "externalId")})`,
};
