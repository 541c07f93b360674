import { authority } from "./ports.ts";

// The health check of a container. Exits with 0 if the service in the container is ready.

const { PORT: port = "8787", HOST: host = "127.0.0.1" } = process.env;
const own = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
try {
  const answer = await fetch(`http://${authority(own, Number(port))}/readyz`, { signal: AbortSignal.timeout(4_000) });
  process.exitCode = answer.ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
