import { clockToleranceMs, hourMs } from "../../src/domain/calendar.ts";
import { writerName } from "../../src/store/fenced-row.ts";
import { field, type Invariants } from "./invariant.ts";

const deadline = field("a.after", "previousRetiresAt");

/** Keys are recognized by their last four characters, the newest key with these. */
const rotations = `(
  select a.id, a.program_id, a.created_at, ${deadline} as deadline, (
    select max(k.id) from program_keys k
    where k.program_id = a.program_id and k.last_four = substr(a.subject, -4) and k.created_at >= a.created_at) as key_id
  from audit_entries a where a.action = 'key.rotated'
)`;

const lastSeen = `(unixepoch('now') * 1000 + ${clockToleranceMs})`;

export const keyInvariants: Invariants = {
  "keys that are not what the audit trail says": (of) => `
    select a.id as audit_entry, coalesce(k.id, (
        select max(e.id) from program_keys e where e.program_id = a.program_id and e.created_at = a.created_at)) as key
    from ${rotations} a left join program_keys k on k.id = a.key_id
    where ${of("a")} and (k.id is null
      or (k.created_at <> a.created_at and not exists (
        select 1 from program_keys e where e.program_id = k.program_id and e.id < k.id and e.created_at = k.created_at)))`,
  // A later rotation may have retired it sooner.
  "keys that work for another time than the rotation after them gave": (of) => `
    select k.id as key, k.retires_at, a.id as audit_entry, a.deadline from ${rotations} a
    join program_keys k on k.id = (
      select max(e.id) from program_keys e where e.program_id = a.program_id and e.id < a.key_id)
    where ${of("a")} and (k.retires_at is null or k.retires_at > a.deadline
      or (k.retires_at < a.deadline and k.retires_at > a.created_at and not exists (
        select 1 from audit_entries r
        where r.program_id = k.program_id and r.action = 'key.rotated' and r.created_at = k.retires_at)))`,
  "keys whose last use can't be": (of) => `
    select k.id as key, k.last_used_at from program_keys k
    where ${of("k")} and (k.last_used_at % ${hourMs} <> 0 or k.last_used_at > ${lastSeen}
      or k.last_used_at < k.created_at - ${hourMs + clockToleranceMs}
      or k.last_used_at > k.retires_at + ${clockToleranceMs})`,
  "writers that are not the Ledger": () => `
    select w.name as writer from ledger_writers w where w.name <> '${writerName}' or w.epoch < 1 or w.seq < 0
      or w.id_floor < 0`,
};
