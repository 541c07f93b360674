import type { Refusal } from "../../domain/refusal.ts";
import type { Ctx } from "../../http/app-env.ts";
import { DatabaseError } from "../../store/database.ts";
import { fromDatabase } from "../from-database.ts";
import type { Auth } from "./better-auth.ts";

/** What better-auth answers, with the cookies that it sets. */
interface Answered<T> {
  readonly headers: Headers;
  readonly response: T;
}

type Asked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };

/**
 * Asks better-auth, and sets the cookies that it wants set. It is compiled when somebody signs in. A database that is
 * out of reach is told as such, whatever better-auth made of it: it signs out all the same, and calls a user who could
 * not be written a fault of theirs.
 */
export async function withAuth<T>(c: Ctx, ask: (auth: Auth) => Promise<Answered<T>>): Promise<Asked<T>> {
  const { openAuth, refusalOf } = await import("./better-auth.ts");
  const asked = await fromDatabase(c, async (database): Promise<Asked<T>> => {
    const outOfReach: DatabaseError[] = [];
    const auth = openAuth(c, database, (error) => {
      if (error instanceof DatabaseError && error.fault.kind !== "statement") outOfReach.push(error);
    });
    const answered = await settled(ask(auth));
    if (outOfReach[0] !== undefined) throw outOfReach[0];
    if (!answered.ok) return { ok: false, refusal: refusalOf(answered.error) };
    const { headers, response } = answered.value;
    for (const cookie of headers.getSetCookie()) c.header("Set-Cookie", cookie, { append: true });
    return { ok: true, value: response };
  });
  return asked.ok ? asked.value : asked;
}

const settled = <T>(promise: Promise<T>) =>
  promise.then(
    (value) => ({ ok: true as const, value }),
    (error: unknown) => ({ ok: false as const, error }),
  );
