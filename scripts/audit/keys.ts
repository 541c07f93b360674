import { clockToleranceMs, hourMs } from "#domain/calendar.ts";
import { firstKeyGrant } from "#domain/program-key.ts";
import { writerName } from "#store/fenced-row.ts";
import { field, type Invariants } from "./invariant.ts";

const told = (name: string): string => field("a.after", name);

/** Entries about keys, each with the key that it names. */
const entries = (...actions: readonly string[]): string => `(
  select a.id, a.program_id, a.action, a.created_at, substr(a.subject, -4) as last_four, ${told("keyId")} as told_key,
    ${told("originId")} as told_origin, ${told("book")} as told_book, ${told("previousRetiresAt")} as deadline,
    ${told("name")} as told_name, ${told("scopes")} as told_scopes,
    k.id as key_id, k.last_four as key_last_four, k.book as key_book, k.created_at as key_created_at,
    k.origin_id as key_origin, coalesce(k.origin_id, k.id) as origin, k.retires_at as key_retires_at
  from audit_entries a left join program_keys k on k.id = ${told("keyId")} and k.program_id = a.program_id
  where a.action in (${actions.map((action) => `'key.${action}'`).join(", ")})
)`;

/** What the newest entry says of a key, or of one that it has been rotated from or to. */
const newestTold = (what: "name" | "scopes"): string => `(
  select a.told_${what} from ${entries("created", "updated")} a
  where a.program_id = k.program_id and a.origin = coalesce(k.origin_id, k.id) and a.told_${what} is not null
  order by a.id desc limit 1
)`;

const isCreatedHere =
  "exists (select 1 from audit_entries p where p.program_id = k.program_id and p.action = 'program.created')";
const isFirst =
  "coalesce(k.origin_id, k.id) = (select min(f.id) from program_keys f where f.program_id = k.program_id)";
const grantOf = (what: "name" | "scopes", first: string): string =>
  `coalesce(${newestTold(what)}, iif(${isCreatedHere} and ${isFirst}, '${first}', k.${what}))`;

const lastSeen = `(unixepoch('now') * 1000 + ${clockToleranceMs})`;

export const keyInvariants: Invariants = {
  // A rotated key is never older than those before it, whose clock may have been ahead.
  "keys that are not what the audit trail says": (of) => `
    select a.id as audit_entry, a.told_key as key from ${entries("created", "rotated")} a
    where ${of("a")} and (a.key_id is null or a.key_last_four <> a.last_four or a.key_origin is not a.told_origin
      or a.key_book is not coalesce(a.told_book, (select o.book from program_keys o where o.id = a.key_origin))
      or a.key_created_at <> iif(a.action = 'key.created', a.created_at, max(a.created_at, coalesce(
        (select max(e.created_at) from program_keys e where e.program_id = a.program_id and e.id < a.key_id), 0))))`,
  "keys that the audit trail doesn't have": (of) => `
    select k.id as key from program_keys k
    where ${of("k")} and ${isCreatedHere} and k.id <> (select min(f.id) from program_keys f where f.program_id = k.program_id)
      and not exists (select 1 from ${entries("created", "rotated")} a where a.program_id = k.program_id and a.told_key = k.id)`,
  "keys with another name or other scopes than the audit trail says": (of) => `
    select k.id as key, k.name, k.scopes from program_keys k
    where ${of("k")} and (k.name <> ${grantOf("name", firstKeyGrant.name)}
      or k.scopes <> ${grantOf("scopes", firstKeyGrant.scopes.join(" "))})`,
  // A later rotation may have retired it sooner.
  "keys that work for another time than the rotation after them gave": (of) => `
    select k.id as key, k.retires_at, a.id as audit_entry, a.deadline from ${entries("rotated")} a
    join program_keys k on k.program_id = a.program_id and k.id = (
      select max(e.id) from program_keys e
      where e.program_id = a.program_id and coalesce(e.origin_id, e.id) = a.origin and e.id < a.key_id)
    where ${of("a")} and (k.retires_at is null or k.retires_at > a.deadline
      or (k.retires_at < a.deadline and k.retires_at > a.created_at and not exists (
        select 1 from ${entries("rotated", "ended")} r
        where r.program_id = a.program_id and r.origin = a.origin and r.created_at = k.retires_at)))`,
  "keys that were ended and still work": (of) => `
    select a.key_id as key, a.key_retires_at as retires_at, a.id as audit_entry from ${entries("ended")} a
    where ${of("a")} and (a.key_retires_at is null or a.key_retires_at > a.created_at)`,
  "keys whose last use can't be": (of) => `
    select k.id as key, k.last_used_at from program_keys k
    where ${of("k")} and (k.last_used_at % ${hourMs} <> 0 or k.last_used_at > ${lastSeen}
      or k.last_used_at < k.created_at - ${hourMs + clockToleranceMs}
      or k.last_used_at > k.retires_at + ${clockToleranceMs})`,
  "writers that are not the Ledger": () => `
    select w.name as writer from ledger_writers w where w.name <> '${writerName}' or w.epoch < 1 or w.seq < 0
      or w.id_floor < 0`,
};
