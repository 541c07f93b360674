import { webUrl } from "../../src/fields.ts";
import { UsageError } from "../flags.ts";
import { type Received, request } from "../request.ts";
import { parse } from "../service.ts";
import { blockedBy, parsePolicies, type Resource } from "./csp.ts";
import type { Finding } from "./finding.ts";
import { type Attributes, tagsOf } from "./html.ts";

/** Returns the address of the page to check. Throws a `UsageError`. */
export function readPage(flag: string | undefined): string | undefined {
  if (flag !== undefined && !webUrl(flag)) throw new UsageError("--page must be a URL: https://shop.example/");
  return flag;
}

export interface Expected {
  /** The service's address, with a trailing slash. */
  readonly base: string;
  /** Undefined if the key is missing or invalid. */
  readonly programId: number | undefined;
  /** True if the service receives clicks, so that at least one page must have the script. */
  readonly isSeen: boolean;
}

/** Searches a page for the script tag, and for anything that would keep the script from working. */
export async function checkPage(address: string, expected: Expected): Promise<Finding[]> {
  const page = await request(address, { redirect: "follow" });
  if (!page.isReached) return [{ name: "page", status: "fail", message: page.message }];
  if (page.status !== 200)
    return [{ name: "page", status: "fail", message: `${page.url} responds with ${page.status}` }];

  const [tag] = tagsOf(page.text, "script").filter((attributes) => programIn(attributes) !== undefined);
  if (!tag) return [noTag(page, expected)];
  const finding = programOf(tag, expected.programId);
  const src = resolve(tag.get("src"), page.url);
  if (!src) return [finding, { name: "script", status: "fail", message: "the tag's src is not a valid URL" }];
  const api = resolve(tag.get("data-svc-api-base") || new URL("..", src).href, page.url);
  if (!api) return [finding, { name: "script", status: "fail", message: "data-svc-api-base is not a valid URL" }];
  return [finding, await scriptOf(src, api, page, expected), ...policyOf(page, tag, src, api)];
}

function noTag(page: Received, { base, programId, isSeen }: Expected): Finding {
  const tag = `<script async src="${base}js/svc-tracker.js" data-svc-program-id="${programId ?? "…"}"></script>`;
  const message = `${page.url} has no script tag with data-svc-program-id in its HTML`;
  const next_action = `Add it: ${tag} If your code or a tag manager loads it, this check can't see it.`;
  return { name: "page", status: isSeen ? "warn" : "fail", message, next_action };
}

/** Returns the program's id from the attribute, or from `?program=` in the address of a script with its usual name. */
const programIn = (tag: Attributes): string | undefined =>
  tag.get("data-svc-program-id") ?? /svc-tracker[^?]*\.js\?(?:[^#]*&)?program=(\d+)/.exec(tag.get("src") ?? "")?.[1];

function programOf(tag: Attributes, programId: number | undefined): Finding {
  const named = programIn(tag);
  if (programId === undefined || named === String(programId)) {
    return { name: "page", status: "pass", message: `its tag names program ${named}` };
  }
  const message = `its tag names program ${named}, but the key belongs to program ${programId}`;
  return { name: "page", status: "fail", message, next_action: `Set data-svc-program-id="${programId}".` };
}

async function scriptOf(src: URL, api: URL, page: Received, { base }: Expected): Promise<Finding> {
  const fail = (message: string, next_action?: string): Finding => ({
    name: "script",
    status: "fail",
    message,
    next_action,
  });
  if (page.url.startsWith("https:") && [src, api].some(({ protocol }) => protocol === "http:")) {
    return fail(
      "the page is https, but its script or its calls are plain http",
      "Use https: browsers block plain http there.",
    );
  }
  const script = await request(src.href, { redirect: "follow" });
  const type = script.isReached ? `${script.status}, ${script.headers.get("content-type")}` : script.message;
  const isScript = script.isReached && script.status === 200 && /javascript/.test(type);
  if (!isScript)
    return fail(`${src.href} is not a script (${type})`, `The service serves it at ${base}js/svc-tracker.js`);
  const apiBase = api.href.replace(/\/*$/, "/");
  if (apiBase === base) return { name: "script", status: "pass", message: `${src.href} loads, and calls this service` };

  const call = await request(`${apiBase}api/v1/track/click`);
  const { error } = call.isReached ? parse(call.text) : {};
  if (Object(error).name !== "MethodNotAllowedError") {
    return fail(`it calls ${apiBase}, where no Tributary service answers`, `Set data-svc-api-base="${base}".`);
  }
  const next_action = "This is right for a proxy or another hostname of the service. Otherwise set data-svc-api-base.";
  return { name: "script", status: "warn", message: `it calls ${apiBase}, not ${base}`, next_action };
}

function policyOf(page: Received, tag: Attributes, src: URL, api: URL): Finding[] {
  const metas = tagsOf(page.text, "meta")
    .filter((meta) => meta.get("http-equiv")?.toLowerCase() === "content-security-policy")
    .map((meta) => meta.get("content") ?? "");
  const header = page.headers.get("content-security-policy");
  const policies = [...(header === null ? [] : [header]), ...metas].flatMap(parsePolicies);
  if (policies.length === 0) return [];
  const pageUrl = new URL(page.url);
  const script: Resource = { url: src, nonce: tag.get("nonce"), integrity: tag.get("integrity") };
  const calls: Resource = { url: new URL("api/v1/track/click", api.href.replace(/\/*$/, "/")) };
  for (const policy of policies) {
    const scriptBlock = blockedBy(policy, ["script-src-elem", "script-src", "default-src"], script, pageUrl);
    const callBlock = blockedBy(policy, ["connect-src", "default-src"], calls, pageUrl);
    if (scriptBlock) return [blocked(scriptBlock, "the script", "script-src", src)];
    if (callBlock) return [blocked(callBlock, "its calls", "connect-src", calls.url)];
  }
  return [{ name: "policy", status: "pass", message: "the Content-Security-Policy allows the script and its calls" }];
}

const blocked = (directive: string, what: string, needed: string, { origin }: URL): Finding => ({
  name: "policy",
  status: "fail",
  message: `${directive} of the Content-Security-Policy blocks ${what}`,
  next_action: `Add ${origin} to ${needed}.`,
});

function resolve(address: string | undefined, base: string): URL | undefined {
  if (!address) return undefined;
  try {
    return new URL(address, base);
  } catch {
    return undefined;
  }
}
