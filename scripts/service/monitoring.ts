import { ExplainedError } from "../command.ts";
export interface Monitoring {
  /** The port on 127.0.0.1 for `/metrics`. If it is undefined, there are no metrics and the disk isn't watched. */
  readonly metricsPort: number | undefined;
  readonly minFreeBytes: number | undefined;
}

const bytesOfMegabyte = 1_000_000;

export function monitoringFrom(env: NodeJS.ProcessEnv, servicePort: number): Monitoring {
  const { METRICS_PORT: port, MIN_FREE_DISK_MB: megabytes } = env;
  const metricsPort = port ? Number(port) : undefined;
  if (metricsPort !== undefined && !(Number.isInteger(metricsPort) && metricsPort > 0 && metricsPort < 65_536)) {
    throw new ExplainedError(`METRICS_PORT is ${port}, which is no port. Choose one from 1 to 65535.`);
  }
  if (metricsPort === servicePort) {
    throw new ExplainedError(`METRICS_PORT is ${port}, which is the service's own. Choose another.`);
  }
  const minFree = megabytes ? Number(megabytes) : undefined;
  if (minFree !== undefined && !(minFree >= 0)) {
    throw new ExplainedError(`MIN_FREE_DISK_MB is ${megabytes}, which is no number of megabytes.`);
  }
  return { metricsPort, minFreeBytes: minFree === undefined ? undefined : minFree * bytesOfMegabyte };
}
