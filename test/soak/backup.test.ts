import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { root } from "../../scripts/root.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { Answers, expectOnce, knownTo, type Traffic, traffic } from "../faults/traffic.ts";
import { expectHeld, openService } from "../project/backed-up.ts";
import { lockDatabase, start, stop } from "../project/started.ts";
import { tributary } from "../support/tributary.ts";

const minutes = Number(process.env.SOAK_MINUTES ?? 10);
const customersOfBurst = 60;

it(`each backup during ${minutes} minutes of database stalls contains everything that was confirmed before it`, async () => {
  const end = Date.now() + minutes * 60_000;
  const folder = await mkdtemp(join(tmpdir(), "tributary-backups-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const data = join(folder, "data");
  const service = await start({ port: await freePort(), cwd: root, args: ["--data", data] });
  onTestFinished(() => stop(service.child));
  const own = await knownTo(service.url, await openService(service, data));
  const answers = new Answers();
  let isOver = false;

  const disturbing = (async () => {
    while (!isOver) {
      const unlock = await lockDatabase(data);
      await delay(Math.random() * 4_000);
      await unlock();
      await delay(Math.random() * 2_000);
    }
  })();
  const backingUp = (async () => {
    const [file, copy] = [join(folder, "b.tar"), join(folder, "copy")];
    let backups = 0;
    for (; !isOver; backups += 1) {
      const before = structuredClone(answers);
      expect(await tributary(["backup", file, "--data", data, "--force"])).toMatchObject({ code: 0 });
      await expectHeld(before, file, copy);
      await rm(copy, { recursive: true });
      if (backups % 20 === 0) expect(await tributary(["restore", "--verify", file])).toMatchObject({ code: 0 });
    }
    return backups;
  })();
  const done: Traffic[] = [];
  const calling = (async () => {
    for (let from = 0; Date.now() < end; from += customersOfBurst) {
      done.push(await traffic(own, [service.url], { customers: customersOfBurst, everyMs: 30, from }, answers));
    }
  })();
  await Promise.race([calling, backingUp]).finally(() => {
    isOver = true;
  });
  await Promise.all([calling, disturbing]);
  console.log(`${await backingUp} backups`);
  await expectOnce(own, [{ ...answers, customers: done.length * customersOfBurst }]);
});
