import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { World } from "../../harness/world.ts";
import { expectOnce, knownTo, traffic } from "../faults/traffic.ts";
import { isWhole } from "../support/breadth.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";

const own = isolatedService();
const restarts = isWhole ? 200 : 4;

/** Sends these bytes. Returns the first line of the response, and whether the connection has ended. */
function answerTo(bytes: string): Promise<string> {
  const { hostname, port } = new URL(own.service.url);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding("utf8");
    socket.on("data", (part) => {
      text += part;
      const [line] = text.split("\r\n");
      if (!text.includes("\r\n")) return;
      socket.destroy();
      resolve(line ?? "");
    });
    socket.once("error", reject);
    socket.once("close", () => resolve(text));
  });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits until the process exits by itself. */
async function untilStopped(): Promise<void> {
  const { pid } = own.service;
  process.kill(pid, "SIGTERM");
  await expect.poll(() => isRunning(pid)).toBe(false);
}

/** Starts a click whose headers the service has received and answered with 100 Continue. It waits for the body. */
async function clickBegun(world: World): Promise<{ end(): Promise<string> }> {
  const { hostname, port } = new URL(own.service.url);
  const body = JSON.stringify({ affiliate_url: world.partner.landingUrl, program_id: world.programId });
  const lines = [
    ...["POST /api/v1/track/click HTTP/1.1", "Host: 127.0.0.1", "CF-Connecting-IP: 9.9.9.9", "Expect: 100-continue"],
    ...["Content-Type: application/json", `Content-Length: ${body.length}`, "", ""],
  ];
  const socket = connect(Number(port), hostname, () => socket.write(lines.join("\r\n")));
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  const closed = new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => resolve());
  });
  closed.catch(() => undefined);
  await expect.poll(() => text).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  return {
    end: async () => {
      socket.write(body);
      await closed;
      return text.split("\r\n")[2] ?? "";
    },
  };
}

describe("the service in one process", () => {
  it("the service in one process responds to health checks by HTTP/1.0 without a Host header", {
    tags: "finding",
  }, async () => {
    expect(await answerTo("GET /readyz HTTP/1.0\r\n\r\n")).toBe("HTTP/1.1 200 OK");
    expect(await answerTo("GET /healthz HTTP/1.0\r\n\r\n")).toBe("HTTP/1.1 200 OK");
  });

  it.each([
    ["two hosts", "GET /healthz HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["no host", "GET /healthz HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["a malformed host", "GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["a host with a path", "GET /js/x HTTP/1.1\r\nHost: \u00e9.localhost/docs?\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["a host with a backslash", "GET /js/x HTTP/1.1\r\nHost: 1\\aaaaa\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["CONNECT", "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"],
    ["OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: a.example\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["bytes that aren't HTTP", "hello\r\n\r\n", "HTTP/1.1 400 Bad Request"],
  ])("the service in one process refuses %s, and continues to serve", async (_, bytes, answer) => {
    expect(await answerTo(bytes)).toBe(answer);
    expect((await fetch(`${own.service.url}/healthz`)).status).toBe(200);
    expect(own.service.logs.filter((line) => line.includes('"error"'))).toEqual([]);
  });

  it("the service in one process counts every confirmed call once while it is repeatedly killed or stopped under load", {
    timeout: 180_000 + 30_000 * restarts,
  }, async () => {
    const world = await knownTo(own.service.url, await own.world());
    const disturb = async () => {
      for (let i = 0; i < restarts; i += 1) {
        await delay(200 + 600 * Math.random());
        if (i % 2 === 0) await own.service.kill();
        else await untilStopped();
        await own.service.restart();
      }
    };
    const [outcome] = await Promise.all([
      traffic(world, [own.service.url], { customers: 8 * restarts, everyMs: 80 }),
      disturb(),
    ]);
    await expectOnce(world, [outcome]);
  });

  it("the service in one process responds to every accepted call when it is stopped", async () => {
    const world = await knownTo(own.service.url, await own.world());
    const begun = await Promise.all(Array.from({ length: 20 }, () => clickBegun(world)));
    const stopped = untilStopped();
    const answers = await Promise.all(begun.map((click) => click.end()));
    await stopped;
    expect(new Set(answers)).toEqual(new Set(["HTTP/1.1 200 OK"]));
    await own.service.restart();
    const [row] = await world.rows(
      "select count(*) as n from clicks where not is_test and program_id = ?",
      world.programId,
    );
    expect(row?.n).toBe(20);
  });

  it("the service in one process responds to running calls when it is stopped, and then exits, even if clients keep connections open", async () => {
    const shop = programFixture(await own.world({ partners: [{}, {}] }), own.api());
    const calls = Array.from({ length: 40 }, () => shop.visit());
    await Promise.race(calls);
    const stopped = untilStopped();
    const settled = await Promise.allSettled(calls);
    await stopped;
    await own.service.restart();
    const answered = settled.filter(({ status }) => status === "fulfilled").length;
    expect(answered).toBeGreaterThan(0);
    const [row] = await shop.world.rows("select count(*) as n from clicks where program_id = ?", shop.world.programId);
    expect(Number(row?.n)).toBeGreaterThanOrEqual(answered);
  });
});
