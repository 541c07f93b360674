import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../../../runtime/node/http.ts";
import { freePort } from "../../../scripts/service/ports.ts";

test("calls on one connection run one after the other, and calls on other connections concurrently", async () => {
  let [running, most] = [0, 0];
  const paths: string[] = [];
  const first = Promise.withResolvers<void>();
  const port = await freePort();
  const answer = async ({ url }: Request) => {
    const { pathname } = new URL(url);
    paths.push(pathname);
    if (pathname === "/other") return new Response();
    running += 1;
    most = Math.max(most, running);
    if (pathname === "/0") await first.promise;
    running -= 1;
    return new Response(pathname);
  };
  const server = await listen({ at: { host: "127.0.0.1", port }, answer });
  onTestFinished(() => server.close());
  const calls = Array.from({ length: 20 }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: a.example\r\n\r\n`);
  const socket = connect(port, "127.0.0.1", () => socket.write(calls.join("")));
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  await expect.poll(() => paths).toEqual(["/0"]);
  expect((await fetch(`http://127.0.0.1:${port}/other`)).status).toBe(200);
  first.resolve();
  await expect.poll(() => text).toMatch(/\/19$/);
  expect(paths).toEqual(["/0", "/other", ...calls.slice(1).map((_, i) => `/${i + 1}`)]);
  expect(most).toBe(1);
  socket.destroy();
});
