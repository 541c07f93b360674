/** Paths of the inspector, and of pages that show a Worker's storage. */
export const secretPaths = [
  "/disk",
  "/clock",
  "/json",
  "/json/list",
  "/cdn-cgi/explorer/api",
  "/cdn-cgi/local/explorer/api",
];

interface Attempt {
  readonly ports: readonly number[];
  readonly secretPaths: readonly string[];
}

/** Runs in the page. Tries to read from and debug each port, and returns every readable response. */
export async function tryPorts({ ports, secretPaths }: Attempt): Promise<string[]> {
  const read = (url: string) =>
    fetch(url).then(
      async (answer) => (answer.ok ? answer.text() : ""),
      () => "",
    );
  const ask = (url: string, message: object) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(url);
      socket.onopen = () => socket.send(JSON.stringify(message));
      socket.onmessage = ({ data }) => resolve(String(data));
      socket.onclose = () => resolve("");
    });
  const debug = { id: 1, method: "Runtime.evaluate", params: { expression: "1" } };
  const answers = ports.flatMap((port) => [
    ...["/metrics", ...secretPaths].map((path) => read(`http://127.0.0.1:${port}${path}`)),
    ...["/", "/ws", "/core:user:tributary"].map((path) => ask(`ws://127.0.0.1:${port}${path}`, debug)),
  ]);
  return (await Promise.all(answers)).filter((answer) => answer !== "");
}
