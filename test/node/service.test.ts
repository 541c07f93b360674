import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { expectOnce, knownTo, traffic } from "../faults/traffic.ts";
import { isWhole } from "../support/breadth.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";

const own = isolatedService();
const kills = isWhole ? 100 : 3;

/** The first line of the answer to these bytes, and whether the connection has ended. */
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

describe("the service in one process", () => {
  it("answers health checks by HTTP/1.0 without a Host", { tags: "finding" }, async () => {
    expect(await answerTo("GET /readyz HTTP/1.0\r\n\r\n")).toBe("HTTP/1.1 200 OK");
    expect(await answerTo("GET /healthz HTTP/1.0\r\n\r\n")).toBe("HTTP/1.1 200 OK");
  });

  it.each([
    ["two hosts", "GET /healthz HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["no host", "GET /healthz HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["a malformed host", "GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["CONNECT", "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"],
    ["OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: a.example\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["what isn't HTTP", "hello\r\n\r\n", "HTTP/1.1 400 Bad Request"],
  ])("refuses %s, and goes on", async (_, bytes, answer) => {
    expect(await answerTo(bytes)).toBe(answer);
    expect((await fetch(`${own.service.url}/healthz`)).status).toBe(200);
    expect(own.service.logs.filter((line) => line.includes('"error"'))).toEqual([]);
  });

  it("counts every confirmed call once while it is killed under load, again and again", async () => {
    const world = await knownTo(own.service.url, await own.world());
    const disturb = async () => {
      for (let i = 0; i < kills; i += 1) {
        await delay(500);
        await own.service.kill();
        await own.service.restart();
      }
    };
    const [outcome] = await Promise.all([
      traffic(world, [own.service.url], { customers: 10 * kills, everyMs: 80 }),
      disturb(),
    ]);
    await expectOnce(world, [outcome]);
  });

  it("answers what is under way when it is told to stop, and then ends, though clients keep their connections", async () => {
    const shop = programFixture(await own.world({ partners: [{}, {}] }), own.api());
    const calls = Array.from({ length: 40 }, () => shop.visit());
    await Promise.race(calls);
    const { pid } = own.service;
    process.kill(pid, "SIGTERM");
    const settled = await Promise.allSettled(calls);
    await expect.poll(() => isRunning(pid)).toBe(false);
    await own.service.restart();
    const answered = settled.filter(({ status }) => status === "fulfilled").length;
    expect(answered).toBeGreaterThan(0);
    const [row] = await shop.world.rows("select count(*) as n from clicks where program_id = ?", shop.world.programId);
    expect(Number(row?.n)).toBeGreaterThanOrEqual(answered);
  });
});
