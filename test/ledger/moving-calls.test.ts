import { expect, test } from "vitest";
import type { ProgramId } from "#domain/ids.ts";
import { MovingCalls } from "#ledger/moving-calls.ts";
import type { Lane, Outcome } from "#operations/operation.ts";

const id = 7 as ProgramId;
const meta = { programId: id, keyRetiresAt: undefined, roundTrips: 0 };
const moving: Outcome<number> = { ok: false, refusal: { code: "program_moving", programId: id }, meta };
const leaving = { id, place: "leaving", leftTo: null, leaveBy: 1 } as const;
const here = { ...leaving, place: "here", leaveBy: null } as const;

/** A program that moves until `end`, and calls of it. */
function move() {
  let now = 0;
  const sleeping: { readonly until: number; readonly wake: () => void }[] = [];
  const calls = new MovingCalls({
    now: () => now,
    sleep: (ms) => new Promise((wake) => void sleeping.push({ until: now + ms, wake })),
    random: () => 0,
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  let isOver = false;
  let asked = 0;
  const submit = async (): Promise<Outcome<number>> => {
    asked += 1;
    return isOver ? { ok: true, answer: now, meta } : moving;
  };
  return {
    call: (lane: Lane = "money") => calls.answer(lane, submit),
    told: (program: typeof leaving | typeof here) => calls.onProgram(program),
    end() {
      isOver = true;
      calls.onProgram(here);
    },
    async pass(ms: number) {
      await settle();
      for (const until = now + ms; now < until; ) {
        now += 10;
        for (const each of sleeping.filter((one) => one.until <= now)) each.wake();
        await settle();
      }
    },
    asked: () => asked,
  };
}

const refused = (retryAfterSeconds: number) => ({ ok: false, refusal: { code: "unavailable", retryAfterSeconds } });

test("a call asks once, waits, and is answered when its program has moved", async () => {
  const { call, told, end, pass, asked } = move();
  const waiting = call();
  await pass(1_000);
  told(leaving);
  await pass(1_000);
  expect(asked()).toBe(1);
  end();
  await pass(20);
  expect(await waiting).toMatchObject({ ok: true, answer: 2_000 });
});

test("those that wait are let go one after another, in their order", async () => {
  const { call, end, pass } = move();
  const waiting = [call(), call(), call()];
  await pass(500);
  end();
  await pass(100);
  const answers = await Promise.all(waiting);
  expect(answers.map((each) => each.ok && each.answer)).toEqual([500, 510, 520]);
});

test("a call waits for five seconds, and its caller is told to come back later if the move is a long one", async () => {
  const { call, pass } = move();
  const first = call();
  await pass(5_000);
  expect(await first).toMatchObject(refused(5));
  await pass(5_000);
  const later = call();
  await pass(5_000);
  expect(await later).toMatchObject(refused(15));
});

test("a hundred calls of a program wait in each lane, and further ones are refused at once", async () => {
  const { call, end, pass } = move();
  const waiting = Array.from({ length: 100 }, () => call("traffic"));
  await pass(0);
  expect(await call("traffic")).toMatchObject(refused(5));
  waiting.push(call("money"));
  await pass(0);
  end();
  await pass(1_100);
  expect((await Promise.all(waiting)).every(({ ok }) => ok)).toBe(true);
});

test("a call is answered although its turn comes after its time", async () => {
  const { call, end, pass } = move();
  const waiting = Array.from({ length: 100 }, () => call());
  await pass(4_500);
  end();
  await pass(1_000);
  expect((await Promise.all(waiting)).every(({ ok }) => ok)).toBe(true);
});
