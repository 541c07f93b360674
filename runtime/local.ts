import { isLoopback } from "#domain/loopback.ts";
import type { Env } from "#env.ts";
import { machineClock, parseClockReport } from "./clock.ts";
import { parseDiskReport, takeDiskReport } from "./disk.ts";
import { contentType } from "./exposition.ts";
import { instruments } from "./instruments.ts";
import { isBearer } from "./is-bearer.ts";
import { type BuildInfo, deskTimeoutMs, instrumentsPath, type ScrapeEnv, scrape } from "./scrape.ts";

export interface LocalEnv extends Env, ScrapeEnv {
  readonly BUILD?: BuildInfo;
}

const headers = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

/**
 * True for a call by a program or by a page of this origin. Browsers set the header Sec-Fetch-Site, and pages can't
 * forge it. Host names other than this machine's are refused, because another site can resolve its own name to
 * 127.0.0.1.
 */
export const isCalledHere = ({ url, headers }: Request): boolean =>
  isLoopback(new URL(url)) && ["none", "same-origin"].includes(headers.get("sec-fetch-site") ?? "none");

const reports: Readonly<Record<string, (json: unknown) => boolean>> = {
  "/disk": (json) => taken(parseDiskReport(json), takeDiskReport),
  "/clock": (json) => taken(parseClockReport(json), (report) => machineClock.take(report)),
};

function taken<T>(report: T | undefined, take: (report: T) => void): boolean {
  if (report !== undefined) take(report);
  return report !== undefined;
}

/** The server on 127.0.0.1 for `GET /metrics`, and for reports that the parent process sends by `PUT`. */
export async function answerLocally(request: Request, env: LocalEnv): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (!isCalledHere(request)) {
    return new Response("Call this port by a loopback host, and from no other site's page.\n", {
      status: 403,
      headers,
    });
  }
  if (pathname === "/metrics" && env.BUILD !== undefined) {
    if (request.method !== "GET") return new Response(null, { status: 405, headers: { ...headers, allow: "GET" } });
    return new Response(await scrape(env, env.BUILD), { headers: { ...headers, "content-type": contentType } });
  }
  if (pathname === instrumentsPath && isOfParent(request, env)) return Response.json(instruments.metrics);
  const take = request.method === "PUT" ? reports[pathname] : undefined;
  if (take !== undefined) return takeReport(request, env, take);
  return new Response(null, { status: 404, headers });
}

/** True for a call by the supervising process, or by the other process that it started. */
const isOfParent = (request: Request, { REPORT_TOKEN: token }: LocalEnv): boolean =>
  token !== undefined && isBearer(request.headers.get("authorization"), token);

async function takeReport(request: Request, env: LocalEnv, take: (json: unknown) => boolean): Promise<Response> {
  if (!isOfParent(request, env)) return new Response(null, { status: 401, headers });
  const json: unknown = await request.json().catch(() => undefined);
  const isTaken = take(json);
  if (isTaken) await tellDesk(request, env, JSON.stringify(json));
  return new Response(null, { status: isTaken ? 204 : 400, headers });
}

/**
 * Forwards a report to the desk (the process for everything but tracking). A desk that is just starting gets the next
 * report.
 */
async function tellDesk({ url, headers }: Request, { DESK: desk }: LocalEnv, body: string): Promise<void> {
  const authorization = headers.get("authorization") ?? "";
  const signal = AbortSignal.timeout(deskTimeoutMs);
  await desk?.fetch(url, { method: "PUT", headers: { authorization }, body, signal }).catch(() => {});
}
