import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Alarms, type HostClock, hostClock, type Rung } from "./object-alarms.ts";
import { ObjectFaults } from "./object-faults.ts";
import { type Gate, gated, methodsOf } from "./object-gate.ts";
import { ObjectId } from "./object-id.ts";
import { Instance, type ObjectClass, type Report } from "./object-instance.ts";
import { messageOf, resetError } from "./reset-error.ts";

export interface HostOptions {
  /** The folder that contains a folder for each class. */
  readonly directory: string;
  /** Returns the bindings. Called when an object starts, because the bindings contain the namespaces themselves. */
  readonly env: () => object;
  readonly report: Report;
  readonly clock?: HostClock;
}

export interface NamespaceOptions {
  readonly objectClass: ObjectClass;
  /** The name of the class's folder. The ids of its objects are derived from it. */
  readonly uniqueKey: string;
  /** The time (ms) after which an idle object is ended. By default, it is never ended. */
  readonly idleMs?: number;
  /**
   * The maximum number of open objects. Above it, the objects that have been idle for longest are ended. By default,
   * there is no limit.
   */
  readonly maxOpen?: number;
}

export type Stub = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

const defaultGraceMs = 5_000;
const maxIds = 1_000;

/** Runs objects of the Worker in this process. Only one process may use a directory. */
export class ObjectHost {
  readonly #options: HostOptions;
  readonly #namespaces: Namespace[] = [];

  constructor(options: HostOptions) {
    this.#options = options;
  }

  namespace(options: NamespaceOptions): Namespace {
    const namespace = new Namespace(options, this.#options);
    this.#namespaces.push(namespace);
    return namespace;
  }

  /** False while the file of any object can't be written. */
  get areFilesWritable(): boolean {
    return this.#namespaces.every(({ faults }) => faults.areNone);
  }

  /** Starts the alarms. Call it once all bindings exist. */
  start(): void {
    for (const each of this.#namespaces) each.startAlarms();
  }

  /** Stops all alarms. Calls in progress have `graceMs` to end. Objects that they call continue during this time. */
  async close(graceMs = defaultGraceMs): Promise<void> {
    const clock = this.#options.clock ?? hostClock;
    for (const each of this.#namespaces) each.stopAlarms();
    await new Promise<void>((resolve) => {
      const stopTimer = clock.setTimer(resolve, graceMs);
      const look = () => {
        if (!this.#namespaces.every((each) => each.isAtRest)) return;
        stopTimer();
        resolve();
      };
      for (const each of this.#namespaces) each.onRest = look;
      look();
    });
    for (const each of this.#namespaces) each.close();
  }
}

/** The objects of a class, with one instance for each id. */
export class Namespace {
  onRest: () => void = () => {};
  readonly #options: NamespaceOptions;
  readonly #host: HostOptions;
  readonly #clock: HostClock;
  readonly #directory: string;
  readonly #alarms: Alarms;
  readonly faults: ObjectFaults;
  readonly #methods: readonly string[];
  /** Known ids by name, because deriving an id takes longer than the rest of a call. */
  readonly #ids = new Map<string, ObjectId>();
  /** All instances. If `maxOpen` is set, they are in the order of their last calls. */
  readonly #instances = new Map<string, Instance>();
  readonly #atRestSince = new Map<string, number>();
  #stopSweep: (() => void) | undefined;
  #isClosed = false;

  constructor(options: NamespaceOptions, host: HostOptions) {
    this.#options = options;
    this.#host = host;
    this.#clock = host.clock ?? hostClock;
    this.#directory = join(host.directory, options.uniqueKey);
    mkdirSync(this.#directory, { recursive: true });
    this.#methods = methodsOf(options.objectClass.prototype).filter((name) => name !== "alarm" && name !== "then");
    this.#alarms = new Alarms({
      file: join(this.#directory, "metadata.sqlite"),
      clock: this.#clock,
      ring: (id, name, at) => this.#ring(new ObjectId(id, name), at),
      giveUp: (id, name) => void this.#dropAlarm(new ObjectId(id, name)),
    });
    this.faults = new ObjectFaults({
      clock: this.#clock,
      report: host.report,
      fileOf: (id) => `${options.uniqueKey}/${id}.sqlite`,
      start: (id) => this.#startAgain(id),
    });
  }

  idFromName(name: string): ObjectId {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const id = ObjectId.fromName(this.#options.uniqueKey, name);
    if (this.#ids.size >= maxIds) this.#ids.clear();
    this.#ids.set(name, id);
    return id;
  }

  /** Returns an object. Cloudflare's location hints have no effect here. */
  get(id: ObjectId, _options?: object): Stub {
    return this.#stub(id, undefined);
  }

  [gated](gate: Gate) {
    return {
      idFromName: (name: string) => this.idFromName(name),
      get: (id: ObjectId, _options?: object) => this.#stub(id, gate),
    };
  }

  get isAtRest(): boolean {
    return [...this.#instances.values()].every((each) => each.isAtRest);
  }

  startAlarms(): void {
    this.#alarms.start();
  }

  stopAlarms(): void {
    this.#alarms.stop();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopSweep?.();
    for (const instance of [...this.#instances.values()]) instance.retire("the service is ending");
    this.faults.close();
    this.#alarms.close();
  }

  #stub(id: ObjectId, gate: Gate | undefined): Stub {
    const send = async (method: string, args: readonly unknown[]) => {
      const copy = structuredClone(args);
      return this.#instanceOf(id).call(method, copy);
    };
    const sendFrom = (method: string, args: readonly unknown[]) =>
      gate === undefined ? send(method, args) : gate.send(() => send(method, args));
    return Object.fromEntries(this.#methods.map((name) => [name, (...args) => sendFrom(name, args)]));
  }

  #instanceOf(id: ObjectId): Instance {
    if (this.#isClosed) throw resetError("the service is ending");
    const key = id.toString();
    this.#atRestSince.delete(key);
    const known = this.#instances.get(key);
    if (known !== undefined && this.#options.maxOpen !== undefined) {
      this.#instances.delete(key);
      this.#instances.set(key, known);
    }
    if (known !== undefined) return known;
    this.faults.refuse(key);
    return this.#open(id, key, false);
  }

  /** Starts an object whose file failed, so that it continues its work even if it isn't called. */
  #startAgain(id: ObjectId): void {
    const key = id.toString();
    if (this.#instances.has(key)) return;
    const instance = this.#open(id, key, true);
    if (instance.isEnded) throw resetError("the object ended while it started");
    if (instance.isAtRest) this.#rested(key);
  }

  #open(id: ObjectId, key: string, mustStore: boolean): Instance {
    const instance = this.#made(id, key, mustStore);
    this.#instances.set(key, instance);
    instance.begin();
    this.#closeSome(key);
    return instance;
  }

  #made(id: ObjectId, key: string, mustStore: boolean): Instance {
    const { objectClass } = this.#options;
    const { env, report } = this.#host;
    try {
      return new Instance({
        objectClass,
        id,
        report,
        mustStore,
        env: env(),
        file: join(this.#directory, `${key}.sqlite`),
        alarms: {
          setEarlier: (at) => this.#alarms.setEarlier(key, id.name, at),
          setLater: (at) => this.#setLater(id, at),
        },
        onFault: (error) => this.faults.add(id, error),
        onRest: () => this.#rested(key),
        onEnd: (instance) => this.#ended(key, instance),
      });
    } catch (error) {
      if (!this.faults.add(id, error)) report("object.not_opened", error);
      throw resetError(messageOf(error));
    }
  }

  #setLater(id: ObjectId, at: number | undefined): void {
    try {
      this.#alarms.setLater(id.toString(), id.name, at);
    } catch (error) {
      this.#host.report("object.alarm_not_moved", error);
    }
  }

  async #ring(id: ObjectId, at: number): Promise<Rung> {
    const rung = await this.#rung(id, at);
    return "again" in rung && this.faults.has(id) ? { again: "not_stored" } : rung;
  }

  async #rung(id: ObjectId, at: number): Promise<Rung> {
    try {
      return await this.#instanceOf(id).ring(at);
    } catch {
      return { again: "reset" };
    }
  }

  async #dropAlarm(id: ObjectId): Promise<void> {
    try {
      await this.#instanceOf(id).dropAlarm();
    } catch (error) {
      this.#host.report("object.alarm_not_dropped", error);
    }
  }

  #rested(key: string): void {
    this.#atRestSince.delete(key);
    this.#atRestSince.set(key, this.#clock.elapsed());
    this.#closeSome(undefined);
    this.#sweepLater();
    this.onRest();
  }

  #ended(key: string, instance: Instance): void {
    if (this.#instances.get(key) !== instance) return;
    this.#instances.delete(key);
    this.#atRestSince.delete(key);
    this.onRest();
  }

  #closeSome(called: string | undefined): void {
    const { maxOpen = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#instances.size <= maxOpen) return;
    for (const [key, instance] of this.#instances) {
      if (key !== called && instance.isAtRest) instance.retire("too many objects are open");
      if (this.#instances.size <= maxOpen) return;
    }
  }

  #sweepLater(): void {
    const { idleMs } = this.#options;
    if (idleMs === undefined || this.#stopSweep !== undefined || this.#isClosed) return;
    // The map is in the order in which objects became idle, so its first object has been idle for longest.
    const [earliest] = this.#atRestSince.values();
    if (earliest === undefined) return;
    const delayMs = Math.min(Math.max(0, earliest + idleMs - this.#clock.elapsed()), idleMs);
    this.#stopSweep = this.#clock.setTimer(() => this.#sweep(idleMs), delayMs);
  }

  #sweep(idleMs: number): void {
    this.#stopSweep = undefined;
    const before = this.#clock.elapsed() - idleMs;
    for (const [key, since] of this.#atRestSince) {
      const instance = this.#instances.get(key);
      if (since <= before && instance?.isAtRest) instance.retire("the object was idle");
    }
    this.#sweepLater();
  }
}
