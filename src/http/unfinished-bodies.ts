// A call that waits for its body costs memory, whether or not anything of it has arrived. So bodies get less time the
// more of them are on their way; most arrive with their headers, and need none. Where it gets tight, senders with many
// unfinished bodies lose theirs first.

interface Unfinished {
  readonly sender: string;
  bytes: number;
  readonly until: number;
}

/** Measured on workerd. */
const bytesOfCall = 24 * 1024;
const longestMs = 10_000;
const lookEveryMs = 1_000;
const busy = { fromBytes: 9_000_000, patienceMs: 1_000 };
/** A short body that has arrived with its headers is still read: the runtime delivers it before the timer ends. */
const full = { fromBytes: 12_000_000, patienceMs: 1 };
const usualOfSender = 8;

const unfinished = new Set<Unfinished>();
const ofSenders = new Map<string, number>();
let heldBytes = 0;

function begin(body: Unfinished): void {
  unfinished.add(body);
  heldBytes += body.bytes;
  ofSenders.set(body.sender, (ofSenders.get(body.sender) ?? 0) + 1);
}

/** False if there is no room for the received bytes. */
function hold(body: Unfinished, bytes: number): boolean {
  if (!unfinished.has(body) || heldBytes + bytes > full.fromBytes) return false;
  body.bytes += bytes;
  heldBytes += bytes;
  return true;
}

function finish(body: Unfinished): void {
  if (!unfinished.delete(body)) return;
  heldBytes -= body.bytes;
  const others = (ofSenders.get(body.sender) ?? 1) - 1;
  if (others === 0) ofSenders.delete(body.sender);
  else ofSenders.set(body.sender, others);
}

/** If a caller leaves, the runtime may drop its call without running the rest of its code. */
function dropAbandoned(now: number): void {
  for (const body of unfinished) {
    if (body.until > now) return;
    finish(body);
  }
}

function patienceMs({ sender }: Unfinished): number {
  if (heldBytes < busy.fromBytes) return longestMs;
  const hasMany = (ofSenders.get(sender) ?? 0) > usualOfSender;
  return hasMany || heldBytes >= full.fromBytes ? full.patienceMs : busy.patienceMs;
}

export const tooSlow: unique symbol = Symbol("too slow");
export const crowded: unique symbol = Symbol("crowded");

interface Coming {
  readonly sender: string;
  /** Memory held before any data has arrived. */
  readonly bytes: number;
  readonly isShort: boolean;
}

/** Reserves room for the received bytes of a body. Returns false if there is none. */
export type Hold = (bytes: number) => boolean;

/** `crowded`: with fewer others on their way, it would have had more time. */
export async function withinPatience<T>(
  read: (hold: Hold) => Promise<T>,
  { sender, bytes, isShort }: Coming,
): Promise<T | typeof tooSlow | typeof crowded> {
  const startedAt = Date.now();
  dropAbandoned(startedAt);
  const body = { sender, bytes: bytes + bytesOfCall, until: startedAt + longestMs + lookEveryMs };
  if (!isShort && heldBytes >= full.fromBytes) return crowded;
  begin(body);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<typeof tooSlow | typeof crowded>((resolve) => {
    const look = () => {
      const passedMs = Date.now() - startedAt;
      const leftMs = patienceMs(body) - passedMs;
      if (leftMs <= 0) resolve(passedMs < longestMs ? crowded : tooSlow);
      else timer = setTimeout(look, Math.min(leftMs, lookEveryMs));
    };
    look();
  });
  try {
    return await Promise.race([read((arrived) => hold(body, arrived)), tooLate]);
  } finally {
    clearTimeout(timer);
    finish(body);
  }
}
