import { clockToleranceMs, hourMs } from "#domain/calendar.ts";
import { writerName } from "#store/fenced-row.ts";
import { field, type Invariants } from "./invariant.ts";

const lastFour = "substr(a.subject, -4)";

const keysInOrder = `(
  select k.id, k.program_id, k.last_four, k.created_at,
    row_number() over (partition by k.program_id, k.last_four order by k.id desc) as place,
    max(k.created_at) over earlier as newest_before, lag(k.id) over earlier as previous_id,
    lag(k.retires_at) over earlier as previous_retires_at
  from program_keys k
  window earlier as (partition by k.program_id order by k.id rows between unbounded preceding and 1 preceding)
)`;

/** Each with its key. Keys are recognized by their last four characters: of those with the same, the newest by the last. */
const rotations = `(
  select a.*, k.id as key_id, k.created_at as key_created_at, k.newest_before, k.previous_id, k.previous_retires_at
  from (
    select a.id, a.program_id, a.created_at, ${field("a.after", "previousRetiresAt")} as deadline, ${lastFour} as last_four,
      row_number() over (partition by a.program_id, ${lastFour} order by a.id desc) as place
    from audit_entries a where a.action = 'key.rotated'
  ) a left join ${keysInOrder} k on k.program_id = a.program_id and k.last_four = a.last_four and k.place = a.place
)`;

const lastSeen = `(unixepoch('now') * 1000 + ${clockToleranceMs})`;

export const keyInvariants: Invariants = {
  // A key is never older than those before it, whose clock may have been ahead.
  "keys that are not what the audit trail says": (of) => `
    select a.id as audit_entry, coalesce(a.key_id, k.id) as key from ${rotations} a
    left join (select program_id, created_at, max(id) as id from program_keys group by 1, 2) k
      on k.program_id = a.program_id and k.created_at = a.created_at
    where ${of("a")} and a.key_created_at is not max(a.created_at, coalesce(a.newest_before, 0))`,
  // A later rotation may have retired it sooner. One text, because SQLite looks through the whole list for a row of
  // several values that isn't in it.
  "keys that work for another time than the rotation after them gave": (of) => `
    select a.previous_id as key, a.previous_retires_at as retires_at, a.id as audit_entry, a.deadline from ${rotations} a
    where ${of("a")} and a.previous_id is not null and (a.previous_retires_at is null or a.previous_retires_at > a.deadline
      or (a.previous_retires_at < a.deadline and a.previous_retires_at > a.created_at
        and a.program_id || ' ' || a.previous_retires_at not in (
          select r.program_id || ' ' || r.created_at from audit_entries r where r.action in ('key.rotated', 'key.ended'))))`,
  "keys that were ended and still work": (of) => `
    select k.id as key, k.retires_at, a.id as audit_entry from audit_entries a
    join (select program_id, last_four, min(id) as id, min(retires_at) as retires_at from program_keys group by 1, 2) k
      on k.program_id = a.program_id and k.last_four = ${lastFour}
    where ${of("a")} and a.action = 'key.ended' and (k.retires_at is null or k.retires_at > a.created_at)`,
  "keys whose last use can't be": (of) => `
    select k.id as key, k.last_used_at from program_keys k
    where ${of("k")} and (k.last_used_at % ${hourMs} <> 0 or k.last_used_at > ${lastSeen}
      or k.last_used_at < k.created_at - ${hourMs + clockToleranceMs}
      or k.last_used_at > k.retires_at + ${clockToleranceMs})`,
  "writers that are not the Ledger": () => `
    select w.name as writer from ledger_writers w where w.name <> '${writerName}' or w.epoch < 1 or w.seq < 0
      or w.id_floor < 0`,
};
