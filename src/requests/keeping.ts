import { digestsWithin, erasedDigest, erasedId, keptId, namesOf } from "#domain/erasure.ts";
import type { ProgramId } from "#domain/ids.ts";
import { requestsKeptMs } from "#domain/request-log.ts";
import { databaseOf, type Env, hashSecretOf } from "#env.ts";
import { openDatabase } from "#store/database.ts";
import { readErasedDigests } from "#store/erasures.ts";
import { ErasedNames } from "./erased-names.ts";
import type { CallBatch, LoggedCall, NamedPerson, NotedCall, RequestPage, RequestQuery } from "./rpc.ts";
import { type Erasing, erasedTexts, StoredCalls } from "./stored-calls.ts";

const hourMs = 3_600_000;

type Storage = Pick<DurableObjectStorage, "sql" | "get" | "put" | "getAlarm" | "setAlarm">;

/** Stores a program's calls in the Durable Object's storage, without identifiers of erased customers. */
export class Keeping {
  readonly #storage: Storage;
  readonly #env: Env;
  readonly #calls: StoredCalls;
  readonly #erased: ErasedNames;

  constructor(storage: Storage, env: Env) {
    this.#storage = storage;
    this.#env = env;
    this.#calls = new StoredCalls(storage.sql);
    this.#erased = new ErasedNames(storage.sql);
  }

  async add({ programId, shard, calls, dropped, hasErased }: CallBatch): Promise<void> {
    const isKnown = !hasErased || (await this.#learnErased(programId, shard));
    const erasing = isKnown ? this.#everyone(programId) : this.#unknown(programId);
    const now = Date.now();
    const noted = JSON.parse(`[${calls.join(",")}]`) as readonly NotedCall[];
    this.#calls.add(noted.map((call) => this.#stored(programId, call, erasing)));
    this.#calls.keepNewest(now);
    this.#calls.drop(dropped, now);
    if ((await this.#storage.getAlarm()) === null) await this.#storage.setAlarm(now + requestsKeptMs);
  }

  list({ programId, filter, after, limit }: RequestQuery): RequestPage {
    const { requestId, transactionId, customerKey, from, ...others } = filter;
    const secrets = this.#secretsOf(programId);
    const sentOrErased = (id: string | undefined) => (id === undefined ? id : [id, erasedId(secrets, id)]);
    const since = Date.now() - requestsKeptMs;
    const stored = {
      ...others,
      requestIds: sentOrErased(requestId),
      transactionIds: sentOrErased(transactionId),
      customerDigest: customerKey && erasedDigest(secrets, customerKey),
      from: Math.max(from ?? since, since),
    };
    return { calls: this.#calls.list(stored, after, limit), dropped: this.#calls.droppedSince(since) };
  }

  listPerson({ programId, names }: NamedPerson): readonly LoggedCall[] {
    return this.#calls.listPerson(this.#erasingOf(programId, names));
  }

  erase({ programId, names, isErased }: NamedPerson & { readonly isErased: boolean }): void {
    if (isErased) this.#erased.add(this.#digestsOf(programId, names));
    this.#calls.erase(this.#erasingOf(programId, names));
  }

  async removeOld(): Promise<void> {
    const now = Date.now();
    const next = this.#calls.removeOld(now);
    if (next !== undefined) await this.#storage.setAlarm(Math.max(next, now + hourMs));
  }

  #secretsOf(programId: ProgramId) {
    return { programId, hashSecret: hashSecretOf(this.#env) };
  }

  #digestsOf(programId: ProgramId, names: readonly string[]): readonly string[] {
    return namesOf(names).map((name) => erasedDigest(this.#secretsOf(programId), name));
  }

  #stored(programId: ProgramId, { customerKey, ...call }: NotedCall, erasing: Erasing) {
    const customerDigest = customerKey && erasedDigest(this.#secretsOf(programId), customerKey);
    const stored = { ...call, customerDigest };
    return { ...stored, ...erasedTexts(stored, erasing) };
  }

  #erasingOf(programId: ProgramId, names: readonly string[]): Erasing {
    const digests = this.#digestsOf(programId, names);
    const person = { ...this.#secretsOf(programId), names: namesOf(names) };
    return { id: (text) => keptId(person, text), isTheirs: (digest) => digests.includes(digest) };
  }

  /**
   * Erases all customers whose digests are known. Also removes email addresses from ids, whether or not their owner was
   * erased.
   */
  #everyone(programId: ProgramId): Erasing {
    const secrets = this.#secretsOf(programId);
    return {
      id: (text) =>
        this.#erased.hasAny && this.#erased.has(digestsWithin(secrets, text))
          ? erasedId(secrets, text)
          : keptId({ ...secrets, names: [] }, text),
      isTheirs: (digest) => this.#erased.hasAny && this.#erased.has([digest]),
    };
  }

  /**
   * Used while the program's erased customers aren't known: any id may be that of an erased customer, so each id is
   * pseudonymized. A filter then finds an id by its pseudonym.
   */
  #unknown(programId: ProgramId): Erasing {
    return { id: (text) => erasedId(this.#secretsOf(programId), text), isTheirs: () => true };
  }

  /**
   * Reads, once, which customers the program had erased before this log existed. Returns false if the program's
   * database is unavailable.
   */
  async #learnErased(programId: ProgramId, shard: CallBatch["shard"]): Promise<boolean> {
    if (await this.#storage.get("knowsErased")) return true;
    try {
      const database = openDatabase(databaseOf(this.#env, shard));
      for await (const digests of readErasedDigests(database, programId)) this.#erased.add(digests);
    } catch (error) {
      console.error(JSON.stringify({ event: "request_log.erasures_not_read", error: String(error) }));
      return false;
    }
    this.#calls.erase(this.#everyone(programId));
    await this.#storage.put("knowsErased", true);
    return true;
  }
}
