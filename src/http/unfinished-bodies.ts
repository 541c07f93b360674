// A call that waits for its body takes memory, whether or not any data has arrived. So the more bodies are unfinished,
// the less time each gets. Most bodies arrive together with their headers, and need no time. If memory runs short, the
// oldest bodies of senders with many unfinished ones are refused at once, so that other senders keep their time.

interface Unfinished {
  readonly sender: string;
  bytes: number;
  readonly until: number;
  readonly refuse: () => void;
}

/** Memory of a waiting call, measured on workerd. */
const bytesOfCall = 24 * 1024;
const longestMs = 10_000;
const lookEveryMs = 1_000;
const busy = { fromBytes: 9_000_000, patienceMs: 1_000 };
/**
 * Even when memory is full, short bodies that arrived with their headers are read: the runtime delivers them before the
 * timer ends.
 */
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

/** Reserves memory for received bytes. Returns false if there is none left. */
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

/** Releases bodies whose callers disconnected: the runtime may have dropped their calls without running `finally`. */
function dropAbandoned(now: number): void {
  for (const body of unfinished) {
    if (body.until > now) return;
    finish(body);
  }
}

const hasMany = ({ sender }: Unfinished): boolean => (ofSenders.get(sender) ?? 0) > usualOfSender;

function refuseOfMany(): void {
  for (const body of unfinished) {
    if (heldBytes < busy.fromBytes) return;
    if (!hasMany(body)) continue;
    finish(body);
    body.refuse();
  }
}

function patienceMs(body: Unfinished): number {
  if (heldBytes < busy.fromBytes) return longestMs;
  return hasMany(body) || heldBytes >= full.fromBytes ? full.patienceMs : busy.patienceMs;
}

export const tooSlow: unique symbol = Symbol("too slow");
export const crowded: unique symbol = Symbol("crowded");

interface Coming {
  readonly sender: string;
  /** Memory that the body takes before any data arrives. */
  readonly bytes: number;
  readonly isShort: boolean;
}

/** Reserves memory for received bytes of a body. Returns false if there is none left. */
export type Hold = (bytes: number) => boolean;

/**
 * Reads a body within its time. Returns `tooSlow` after the longest time. Returns `crowded` if the time was shorter
 * because of other unfinished bodies.
 */
export async function withinPatience<T>(
  read: (hold: Hold) => Promise<T>,
  { sender, bytes, isShort }: Coming,
): Promise<T | typeof tooSlow | typeof crowded> {
  const startedAt = Date.now();
  dropAbandoned(startedAt);
  refuseOfMany();
  if (!isShort && heldBytes >= full.fromBytes) return crowded;
  const ended = Promise.withResolvers<typeof tooSlow | typeof crowded>();
  const refuse = () => ended.resolve(crowded);
  const body = { sender, bytes: bytes + bytesOfCall, until: startedAt + longestMs + lookEveryMs, refuse };
  begin(body);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    const passedMs = Date.now() - startedAt;
    const leftMs = patienceMs(body) - passedMs;
    if (leftMs <= 0) ended.resolve(passedMs < longestMs ? crowded : tooSlow);
    else timer = setTimeout(look, Math.min(leftMs, lookEveryMs));
  };
  look();
  try {
    return await Promise.race([read((arrived) => hold(body, arrived)), ended.promise]);
  } finally {
    clearTimeout(timer);
    finish(body);
  }
}
