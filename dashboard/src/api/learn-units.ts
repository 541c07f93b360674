import { type Unit, type Units, unitsByCode } from "#domain/units.ts";
import { setKnownUnits, unitCalls } from "../known-units.ts";
import { Failure, failureOf } from "./failure.ts";

const byAddress = new Map<string, Units>();

/**
 * Returns the address that has the units of the amounts in a response from `url`. Partner pages, the referral page and
 * the dashboard have different addresses for units, because each may read only certain programs.
 */
function addressOf(url: string): string | undefined {
  const { pathname, searchParams } = new URL(url);
  const own = /^\/api\/partner\/programs\/\d+\/partners\/\d+/.exec(pathname)?.[0];
  if (own !== undefined) return `${own}/units${searchParams.get("as") === "owner" ? "?as=owner" : ""}`;
  if (pathname.startsWith("/api/embed/")) return "/api/embed/units";
  // Skips join pages: the number in their path may be the page's name instead of a program's id. Their estimates
  // already contain the unit.
  if (pathname.startsWith("/api/join/")) return undefined;
  const programId = /\/(\d+)(?=\/|$)/.exec(pathname)?.[1];
  return programId && `/api/programs/${programId}/units`;
}

async function read(address: string): Promise<Units> {
  const reply = await unitCalls.read(address).catch(() => Promise.reject(Failure.ofNetwork()));
  if (!reply.ok) throw await failureOf(reply);
  const { data } = (await reply.json()) as { readonly data: readonly Unit[] };
  return unitsByCode(data);
}

/** Loads the program's units, unless all of `codes` are already known. Units never change. */
export async function learnUnits(url: string, codes: readonly string[]): Promise<void> {
  const address = addressOf(url);
  if (address === undefined) return;
  let units = byAddress.get(address);
  if (units === undefined || codes.some((code) => units?.has(code) === false)) {
    units = await read(address);
    byAddress.set(address, units);
  }
  setKnownUnits(units);
}
