export { Deliverer } from "#deliver/deliverer.ts";
export { WebhookSender } from "#deliver/webhook-sender.ts";
export { Ledger } from "#ledger/ledger.ts";
export { RequestLog } from "#requests/request-log.ts";
export { app as default } from "./app.ts";
