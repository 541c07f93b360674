import { timingSafeEqual } from "node:crypto";
import type { Env } from "../src/env.ts";
import { parseDiskReport, takeDiskReport } from "./disk.ts";
import { contentType } from "./exposition.ts";
import { type BuildInfo, scrape } from "./scrape.ts";

export interface LocalEnv extends Env {
  readonly BUILD?: BuildInfo;
  readonly DISK_TOKEN?: string;
}

/** A page of another site can reach 127.0.0.1 by a name of its own. */
const loopbackHosts = ["127.0.0.1", "localhost", "[::1]"];
const headers = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

/** Browsers set these headers, and no page can forge them. */
const isOfPage = ({ headers }: Request): boolean =>
  !["none", "same-origin"].includes(headers.get("sec-fetch-site") ?? "none");

/** The socket on 127.0.0.1: `GET /metrics`, and `PUT /disk` for the parent process. */
export async function answerLocally(request: Request, env: LocalEnv): Promise<Response> {
  const { hostname, pathname } = new URL(request.url);
  if (!loopbackHosts.includes(hostname) || isOfPage(request)) {
    return new Response("Call this port by a loopback host, and from no other site's page.\n", {
      status: 403,
      headers,
    });
  }
  if (pathname === "/metrics" && env.BUILD !== undefined) {
    if (request.method !== "GET") return new Response(null, { status: 405, headers: { ...headers, allow: "GET" } });
    return new Response(await scrape(env, env.BUILD), { headers: { ...headers, "content-type": contentType } });
  }
  if (pathname === "/disk" && request.method === "PUT") return takeDisk(request, env.DISK_TOKEN);
  return new Response(null, { status: 404, headers });
}

async function takeDisk(request: Request, token: string | undefined): Promise<Response> {
  if (token === undefined || !isBearer(request, token)) return new Response(null, { status: 401, headers });
  const report = parseDiskReport(await request.json().catch(() => undefined));
  if (report === undefined) return new Response(null, { status: 400, headers });
  takeDiskReport(report);
  return new Response(null, { status: 204, headers });
}

function isBearer(request: Request, token: string): boolean {
  const given = Buffer.from(request.headers.get("authorization") ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
