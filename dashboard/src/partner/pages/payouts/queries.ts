import { take } from "../../../api/client.ts";
import { statementQuery } from "../../../components/statement/statement-query.ts";
import type { Filters } from "../../../url.ts";
import { usePartnerQuery } from "../../access.tsx";
import { partnerApi } from "../../client.ts";

export const statementRoute = () => partnerApi.programs[":programId"].partners[":partnerId"].statement;

export const useStatement = (filters: Filters) =>
  usePartnerQuery("statement", statementQuery(filters), (call, init) => take(statementRoute().$get(call, init)));
