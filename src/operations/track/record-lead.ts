import type { Book } from "#domain/book.ts";
import type { ProgramId } from "#domain/ids.ts";
import { earlierAmountLocks } from "../attribution/amount-locks.ts";
import { clicksWithLinks, isInBook } from "../attribution/customer.ts";
import { invalidClicks, invalidIds } from "../attribution/judged-clicks.ts";
import { customerLocks, mayRaiseByKey } from "../attribution/resolve-customer.ts";
import { payoutLock } from "../locks.ts";
import { type Context, type Operation, refuse } from "../operation.ts";
import {
  bookOf,
  gatherLead,
  type LeadAnswer,
  type LeadCall,
  type MoreOfLead,
  planUnresolvedLead,
  programOf,
  validClicks,
} from "./lead.ts";
import { decideBrowserLead } from "./record-browser-lead.ts";
import { decideKeyedLead } from "./record-keyed-lead.ts";

export const recordLead: Operation<LeadCall, ReturnType<typeof gatherLead>, LeadAnswer, MoreOfLead> = {
  kind: "lead",
  lane: ({ key }) => (key === undefined ? "traffic" : "money"),
  needs(call) {
    const programId = programOf(call);
    const links = validClicks(call).map(({ linkId }) => ({ kind: "link", linkId }) as const);
    return programId === undefined ? links : [{ kind: "program", programId }, ...links];
  },

  gather: gatherLead,

  locks(call, found) {
    const { exclusive, shared } = customerLocks(bookOf(call), call, validClicks(call), found.customers);
    // The lead's address or key can raise a signal, which lowers the payable amount.
    const mayRaise = (call.email !== null && !call.isTest) || mayRaiseByKey(call, found.customers);
    const payouts = mayRaise ? [payoutLock(bookOf(call).programId)] : [];
    return { exclusive, shared: [...shared, ...payouts, ...earlierAmountLocks(found.sales, found.customers)] };
  },

  decide(call, found, context) {
    const book = bookOf(call);
    const clicks = clicksWithLinks(validClicks(call), book, context);
    if ("kind" in clicks) return clicks;
    const isForeign = (programId: ProgramId) => programId !== book.programId;
    if (call.programId !== null && isForeign(call.programId)) return refuse({ code: "customer_of_another_program" });
    const isAnonymous = clicks.length === 0 && (call.customerKey === null || call.key === undefined);
    if (isAnonymous && !mayLackClick(call)) {
      const isElsewhere = call.clicks.some(({ programId, isTest }) => isForeign(programId) && isTest === call.isTest);
      return refuse({ code: isElsewhere ? "customer_of_another_program" : "customer_not_found" });
    }
    const program = context.settings.program(book.programId);
    if (!program || program.archivedAt !== null)
      return refuse({ code: call.isTest ? "program_not_found" : "customer_not_found" });

    const deciding = { program, context, at: call.at };
    const kept = withinVolume(call, book, context);
    if (isAnonymous) {
      const judged = invalidClicks(invalidIds(kept, clicks));
      return planUnresolvedLead(kept, found, { cause: { reason: "no_click" }, judged }, deciding);
    }
    return call.key === undefined
      ? decideBrowserLead(kept, clicks, found, deciding)
      : decideKeyedLead(kept, clicks, found, deciding);
  },
};

/** Texts that aren't stored once the daily limit of calls without a key is exceeded. */
const noTexts = { pageUrl: null, eventName: null, invalidClickIds: [] };

const withinVolume = (call: LeadCall, book: Book, context: Context): LeadCall =>
  call.key !== undefined || context.countUnsigned(book, call.at) ? call : { ...call, ...noTexts };

/** True for a test call that identifies no customer, or whose click may have no link. */
const mayLackClick = (call: LeadCall): boolean =>
  call.isTest && (!call.sentClickId || call.clicks.some((click) => isInBook(click, bookOf(call))));
