interface Laned {
  readonly lanes: readonly string[];
}

/** Maximum number of items per worker that are read ahead and wait. */
const waitingPerWorker = 16;

/**
 * Processes items in parallel, but items that share a lane one after the other, in order. Resolves when all are done, or
 * rejects with the first error of `work` once all running items have ended.
 */
export async function inLanes<Item extends Laned>(
  items: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const room = createSlots(atOnce * (1 + waitingPerWorker));
  const workers = createSlots(atOnce);
  const lastOf = new Map<string, Promise<void>>();
  const failures: unknown[] = [];

  const workInTurn = async (item: Item, before: readonly (Promise<void> | undefined)[]) => {
    await Promise.all(before);
    await workers.take();
    try {
      if (failures.length === 0) await work(item);
    } catch (error) {
      failures.push(error);
    } finally {
      workers.give();
      room.give();
    }
  };
  for await (const item of items) {
    if (failures.length > 0) break;
    await room.take();
    const turn = workInTurn(
      item,
      item.lanes.map((lane) => lastOf.get(lane)),
    );
    for (const lane of item.lanes) lastOf.set(lane, turn);
    // biome-ignore lint/nursery/noFloatingPromises: a turn never rejects
    turn.then(() => {
      for (const lane of item.lanes) if (lastOf.get(lane) === turn) lastOf.delete(lane);
    });
  }
  await room.drain();
  if (failures.length > 0) throw failures[0];
}

function createSlots(count: number) {
  let free = count;
  const waiting: (() => void)[] = [];
  const take = async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return {
    take,
    give() {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    },
    /** Waits until all slots are free, and takes them. */
    async drain() {
      await Promise.all(Array.from({ length: count }, take));
    },
  };
}
