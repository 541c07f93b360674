import { type TrackingProblem, Tributary, type TributaryOptions } from "../../sdk/src/index.ts";
import { answer, type Behaviour, serverThat } from "./server-that.ts";

export const apiKey = "svc_1_secret-that-nobody-may-see";
export const order = { customerExternalId: "user-1", amount: 4_900, invoiceId: "invoice-1" } as const;
export const recorded = { success: true, sale_id: 1, commission_id: 2, attributed: false, commission: {} };

export const good = answer(200, recorded);
export const html = (status: number) => answer(status, "<h1>Hello</h1>", { "content-type": "text/html" });
export const hang: Behaviour = () => {};
export const hangHalfway: Behaviour = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"success":true,"sale_');
};
export const cutHalfway: Behaviour = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "200" });
  response.write('{"success":true,"sale_', () => response.socket?.destroy());
};

/** Creates a client of a server that responds with each behavior in turn, and then repeats the last one. */
export async function misbehaving(...behaviours: [Behaviour, ...Behaviour[]]) {
  const { url: baseUrl, calls } = await serverThat(...behaviours);
  const problems: TrackingProblem[] = [];
  const onError = (problem: TrackingProblem) => void problems.push(problem);
  const client = (options: TributaryOptions = {}) => new Tributary({ apiKey, baseUrl, onError, ...options });
  return { calls, problems, baseUrl, client };
}
