import type { Ctx } from "../../../http/context.ts";
import { agentOf } from "../../../http/visit.ts";

/** What is kept of where a session began: enough to recognise it in a list, and neither address nor user agent. */
export async function signInPlace({
  req,
}: Ctx): Promise<{ readonly device: string | null; readonly place: string | null }> {
  const { browser, os } = await agentOf(req.header("User-Agent"));
  const country = req.raw.cf?.country;
  return {
    device: [browser, os].filter((name) => name !== undefined).join(" on ") || null,
    place: typeof country === "string" ? country : null,
  };
}
