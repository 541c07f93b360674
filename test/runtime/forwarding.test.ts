import { expect, onTestFinished, test, vi } from "vitest";
import { machineClock } from "../../runtime/clock.ts";
import { untrustedForwarding } from "../../runtime/forwarding.ts";
import { instruments } from "../../runtime/instruments.ts";
import { service } from "../http/service.ts";

const quiet = {
  onCall: () => {},
  onRound: () => {},
  onDatabaseFault: () => {},
  onWritable: () => {},
  isReady: () => true,
  clock: machineClock,
};
const hourMs = 3_600_000;
const counted = () =>
  instruments.metrics.find(({ name }) => name === "tributary_untrusted_forwarding_total")?.samples[0]?.value ?? 0;

test("each call from an untrusted proxy is counted, and at most one an hour is logged", () => {
  const log = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  let now = 0;
  const note = untrustedForwarding(() => now);
  const before = counted();
  for (const at of [0, 1, hourMs - 1]) {
    now = at;
    note();
  }
  expect(log).toHaveBeenCalledTimes(1);
  expect(log.mock.calls[0]?.[0]).toContain('"event":"proxy.untrusted"');
  now = hourMs;
  note();
  expect(log).toHaveBeenCalledTimes(2);
  expect(counted() - before).toBe(4);
});

test.each([
  [{ "X-Forwarded-For": "192.0.2.1" }, "127.0.0.2", 1],
  [{ "X-Forwarded-Proto": "https" }, "127.0.0.2", 1],
  [{ Forwarded: "for=192.0.2.1" }, "127.0.0.2", 1],
  [{ "X-Forwarded-For": "192.0.2.1" }, "127.0.0.1", 0],
  [{}, "127.0.0.2", 0],
])("a call with the headers %j from %s is logged %i times", async (headers, peer, times) => {
  const onUntrustedForwarding = vi.fn();
  const MONITOR = { ...quiet, onUntrustedForwarding };
  const { click } = service({ env: { ADDRESS_FROM: "peer", TRUSTED_PROXIES: "127.0.0.1", MONITOR } });
  await click(
    { affiliate_url: "https://shop.example/?aff=anna" },
    { origin: "http://api.example", headers, cf: { clientIp: `${peer}:4000` } },
  );
  expect(onUntrustedForwarding).toHaveBeenCalledTimes(times);
});
