import type { Ctx } from "#http/context.ts";
import { parseUserAgent } from "#http/user-agent.ts";

interface SessionDevice {
  readonly device: string | null;
  readonly place: string | null;
}

/** Just enough for users to recognize their sessions; stores neither address nor user agent. */
export async function sessionDevice({ req }: Ctx): Promise<SessionDevice> {
  const { browser, os } = await parseUserAgent(req.raw.headers.get("User-Agent"));
  const country = req.raw.cf?.country;
  return {
    device: [browser, os].filter((name) => name !== null).join(" on ") || null,
    place: typeof country === "string" ? country : null,
  };
}
