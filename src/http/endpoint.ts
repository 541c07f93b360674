export { refusals } from "./refusal/further-table.ts";
export {
  accepted,
  body,
  bodyRefusals,
  commonRefusals,
  created,
  createRoute,
  endpoint,
  invalidField,
  keyRefusals,
  returns,
  plainBody,
  refuse,
  refuseInvalid,
  withJsonBody,
} from "./tracking-endpoint.ts";
