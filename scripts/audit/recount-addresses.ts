import { maskEmail } from "#domain/email.ts";
import { isBehind, type Recount, type Scope } from "./invariant.ts";

const rule = "partners whose email address differs from the audit trail's last entry";

interface Partner {
  readonly id: number;
  readonly email: string | null;
  /** The masked address in the audit trail, or null if it is erased. */
  readonly told: string | null;
  readonly kind: "text" | "object" | "null";
}

/**
 * The value in the newest audit entry about the address. Earlier versions of the service wrote no entry for the first
 * value.
 */
const last = (value: string): string => `(
  select ${value} from audit_entries a
  where a.program_id = p.program_id and a.subject = 'partner ' || p.id and a.action in ('partner.created', 'partner.updated')
    and json_valid(a.after) and json_type(a.after, '$.email') is not null order by a.id desc limit 1)`;

const text = "(select n.text from notes n where n.id = json_extract(a.after, '$.email.note'))";
const toldBy = `iif(json_type(a.after, '$.email') = 'object', ${text}, json_extract(a.after, '$.email'))`;

export const addressRecount: Recount<Partner> = {
  finds: [rule],
  page: (of: Scope, before: Partner | undefined) => `
    select json_object('id', id, 'email', email, 'told', told, 'kind', kind) from (
      select p.id, p.email, ${last(toldBy)} as told, ${last("json_type(a.after, '$.email')")} as kind from partners p
      where ${of("p")} and ${isBehind("p", before)} and p.erasure_id is null
    ) where kind is not null order by id`,
  *check(page) {
    for (const { id, email, told, kind } of page) {
      if (isAsTold(email, told, kind)) continue;
      yield { broken: rule, row: { partner: id } };
    }
  },
};

function isAsTold(email: string | null, told: string | null, kind: Partner["kind"]): boolean {
  if (kind === "null") return email === null;
  if (told === null) return true;
  return email !== null && (maskEmail(email) === told || email === told);
}
