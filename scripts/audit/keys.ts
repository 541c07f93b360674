import { clockToleranceMs, hourMs } from "#domain/calendar.ts";
import { firstKeyGrant } from "#domain/program-key.ts";
import { writerName } from "#store/fenced-row.ts";
import { field, type Invariants } from "./invariant.ts";

const told = (name: string): string => field("a.after", name);

/** Each key with its predecessors: the program's earlier keys, and the keys that it was rotated from. */
const keysInOrder = `(
  select k.*, coalesce(k.origin_id, k.id) as origin, min(k.id) over (partition by k.program_id) as first_id,
    max(k.created_at) over (partition by k.program_id order by k.id
      rows between unbounded preceding and 1 preceding) as newest_before,
    lag(k.id) over earlier as previous_id, lag(k.retires_at) over earlier as previous_retires_at
  from program_keys k window earlier as (partition by k.program_id, coalesce(k.origin_id, k.id) order by k.id)
)`;

/** Audit entries about keys, with the key of each entry. */
const entries = (...actions: readonly string[]): string => `(
  select a.id, a.program_id, a.action, a.created_at, substr(a.subject, -4) as told_last_four,
    ${told("keyId")} as told_key, ${told("originId")} as told_origin, ${told("book")} as told_book,
    ${told("name")} as told_name, ${told("scopes")} as told_scopes, ${told("previousRetiresAt")} as deadline,
    k.id as key_id, k.origin, k.origin_id, k.last_four, k.book, k.created_at as key_created_at, k.newest_before,
    k.retires_at, k.previous_id, k.previous_retires_at
  from audit_entries a left join ${keysInOrder} k on k.id = ${told("keyId")} and k.program_id = a.program_id
  where a.action in (${actions.map((action) => `'key.${action}'`).join(", ")})
)`;

/** The newest name or scopes in the audit entries about each key and its rotations. */
const newestTold = (what: "name" | "scopes"): string => `(
  select a.program_id, a.origin, max(a.id), a.told_${what} as ${what} from ${entries("created", "updated")} a
  where a.told_${what} is not null group by a.program_id, a.origin
)`;

/**
 * The instants at which keys end. A rotation ends the previous key after the grace period, and still older keys at
 * once.
 */
const endings = `(
  select r.origin || ' ' || r.created_at from ${entries("rotated", "ended")} r where r.origin is not null
  union all select r.origin || ' ' || r.deadline from ${entries("rotated")} r where r.origin is not null)`;

const isCreatedHere = "k.program_id in (select p.program_id from audit_entries p where p.action = 'program.created')";
const isUnlike = (what: "name" | "scopes", first: string): string =>
  `k.${what} <> coalesce(told_${what}.${what}, iif(k.origin = k.first_id and ${isCreatedHere}, '${first}', k.${what}))`;

const lastSeen = `(unixepoch('now') * 1000 + ${clockToleranceMs})`;

export const keyInvariants: Invariants = {
  // A rotated key is never older than its predecessors, even if the clock was ahead when they were created.
  "keys that differ from the audit trail": (of) => `
    select a.id as audit_entry, a.told_key as key from ${entries("created", "rotated")} a
    left join program_keys o on o.id = a.origin_id
    where ${of("a")} and (a.key_id is null or a.last_four <> a.told_last_four or a.origin_id is not a.told_origin
      or a.book is not coalesce(a.told_book, o.book)
      or a.key_created_at <> iif(a.action = 'key.created', a.created_at, max(a.created_at, coalesce(a.newest_before, 0))))`,
  "keys that the audit trail doesn't have": (of) => `
    select k.id as key from ${keysInOrder} k
    where ${of("k")} and k.id <> k.first_id and ${isCreatedHere} and k.id not in (
      select a.told_key from ${entries("created", "rotated")} a where a.told_key is not null)`,
  "keys whose name, book or scopes differ from the audit trail": (of) => `
    select k.id as key, k.name, k.scopes from ${keysInOrder} k
    left join ${newestTold("name")} told_name on told_name.program_id = k.program_id and told_name.origin = k.origin
    left join ${newestTold("scopes")} told_scopes on told_scopes.program_id = k.program_id and told_scopes.origin = k.origin
    where ${of("k")} and (${isUnlike("name", firstKeyGrant.name)} or ${isUnlike("scopes", firstKeyGrant.scopes.join(" "))}
      or (k.origin = k.first_id and ${isCreatedHere} and k.book <> '${firstKeyGrant.book}'))`,
  // A later rotation may have ended the key sooner. The values are joined into one text, because SQLite scans the whole
  // list for a row of several values that the list lacks.
  "replaced keys whose grace period differs from the audit trail": (of) => `
    select a.previous_id as key, a.previous_retires_at as retires_at, a.id as audit_entry, a.deadline
    from ${entries("rotated")} a
    where ${of("a")} and a.previous_id is not null and (a.previous_retires_at is null or a.previous_retires_at > a.deadline
      or (a.previous_retires_at < a.deadline and a.previous_retires_at > a.created_at
        and a.origin || ' ' || a.previous_retires_at not in ${endings}))`,
  "keys whose expiry isn't in the audit trail": (of) => `
    select k.id as key, k.retires_at from ${keysInOrder} k
    where ${of("k")} and k.retires_at is not null and ${isCreatedHere} and k.origin || ' ' || k.retires_at not in ${endings}`,
  "keys that were ended and still work": (of) => `
    select a.key_id as key, a.retires_at, a.id as audit_entry from ${entries("ended")} a
    where ${of("a")} and (a.retires_at is null or a.retires_at > a.created_at)`,
  "keys with an impossible last use": (of) => `
    select k.id as key, k.last_used_at from program_keys k
    where ${of("k")} and (k.last_used_at % ${hourMs} <> 0 or k.last_used_at > ${lastSeen}
      or k.last_used_at < k.created_at - ${hourMs + clockToleranceMs}
      or k.last_used_at > k.retires_at + ${clockToleranceMs})`,
  "rows of another writer than the Ledger": () => `
    select w.name as writer from ledger_writers w where w.name <> '${writerName}' or w.epoch < 1 or w.seq < 0
      or w.id_floor < 0`,
};
