import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";

/** Returns the TCP ports on which a process and its descendants listen. Linux only. */
export async function portsOf(pid: number): Promise<number[]> {
  const listening = [...(await listeners("/proc/net/tcp")), ...(await listeners("/proc/net/tcp6"))];
  const sockets = new Set((await Promise.all((await familyOf(pid)).map(socketsOf))).flat());
  return listening.filter(({ inode }) => sockets.has(`socket:[${inode}]`)).map(({ port }) => port);
}

async function listeners(file: string): Promise<{ port: number; inode: string }[]> {
  const [, ...rows] = (await readFile(file, "utf8")).trim().split("\n");
  return rows.flatMap((row) => {
    const [, local = "", , state, , , , , , inode = ""] = row.trim().split(/\s+/);
    return state === "0A" ? [{ port: Number.parseInt(local.split(":").at(-1) ?? "", 16), inode }] : [];
  });
}

/** Returns the ids of a process and its descendants. */
export async function familyOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]);
  const processes = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    processes.flatMap(([child = 0, of]) => (of === parent ? [child, ...below(child)] : []));
  return [pid, ...below(pid)];
}

async function socketsOf(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => "")));
}
