import { isbot } from "isbot";
import { BoundedCache } from "./bounded-cache.ts";

export interface Agent {
  readonly isBot: boolean;
  readonly deviceType: "desktop" | "mobile" | "tablet" | "other" | null;
  readonly os: string | null;
  readonly browser: string | null;
}

/**
 * Cached, because parsing takes as long as all other work on a click's body, and most visitors share a few hundred user
 * agents.
 */
const knownAgents = new BoundedCache<Agent>(1_000);

export async function parseUserAgent(userAgent: string | null): Promise<Agent> {
  if (userAgent === null) return { isBot: false, deviceType: null, os: null, browser: null };
  return (
    knownAgents.get(userAgent) ??
    knownAgents.set(userAgent, { isBot: isbot(userAgent), ...(await parseDevice(userAgent)) })
  );
}

async function parseDevice(userAgent: string): Promise<Omit<Agent, "isBot">> {
  // The parser is loaded only when it is needed: it is as large as all operations together, and no sale, lead or refund
  // needs it.
  const { default: Bowser } = await import("bowser");
  browserNames ??= new Set([...Object.values(Bowser.BROWSER_MAP), ...unlistedBrowsers]);
  const { platform, os, browser } = Bowser.parse(userAgent);
  const deviceType = (["desktop", "mobile", "tablet"] as const).find((type) => type === platform.type);
  const name = browser.name ?? "";
  return { deviceType: deviceType ?? "other", os: os.name || null, browser: browserNames.has(name) ? name : null };
}

/** Browser names that may be stored. For an unknown browser, the parser returns the start of the user agent. */
let browserNames: ReadonlySet<string> | undefined;
const unlistedBrowsers = ["Miui", "Opera Touch", "QQ Browser", "QQ Browser Lite"];
