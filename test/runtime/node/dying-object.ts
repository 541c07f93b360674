import { start, TestObject } from "./test-host.ts";

/** A process that kills itself at the point named by its first argument. Its object is in the second's directory. */
const [where, directory = ""] = process.argv.slice(2);

const die = (): never => {
  process.kill(process.pid, "SIGKILL");
  // Wait for the signal to arrive.
  for (;;);
};

class Dying extends TestObject {
  async write(text: string): Promise<void> {
    this.ctx.storage.sql.exec("create table if not exists notes (text text not null)");
    this.ctx.storage.sql.exec("insert into notes values (?)", text);
    if (where === "before-commit") die();
    if (where === "outgoing") await Reflect.apply(Reflect.get(Object(this.env.OUT), "fetch"), undefined, []);
  }

  async ring(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now());
  }

  async alarm(): Promise<void> {
    await this.write("rang");
    await this.ctx.storage.put("rang", true);
    if (where === "alarm") setImmediate(die);
    await new Promise(() => {});
  }
}

const { call } = start(Dying, { directory, env: { OUT: { fetch: async () => die() } } });
if (where === "alarm") {
  await call("a", "ring");
} else {
  await call("a", "write", "noted");
  die();
}
