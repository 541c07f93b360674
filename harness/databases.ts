import { home } from "#domain/shard.ts";
import { type DatabaseClient, openDatabaseClient, type SentStatement, sqlOf } from "./database-client.ts";

/** The databases of a program: the home database and that of the program's shard, which may be the same. */
export interface ProgramDatabases {
  readonly shard: number;
  readonly homeUrl: string;
  readonly url: string;
}

/**
 * Databases for a test's programs. TEST_SHARD has the addresses of the home database and of shard 1. If it is set, all
 * programs are placed on shard 1.
 */
export function databasesFor(homeUrl: string): ProgramDatabases {
  const [at, url = ""] = (process.env.TEST_SHARD ?? "").split(" ");
  return at === homeUrl ? { shard: 1, homeUrl, url } : { shard: home, homeUrl, url: homeUrl };
}

const ofHome =
  /\b(users|sessions|accounts|verifications|memberships|invitations|workspaces|workspace_audit_entries|rate_limits|sign_up_tokens|second_factors|recovery_codes|account_events|program_places|program_moves|foreign_codes|account_partners|join_slugs|partner_sign_ups|team_mail_\w+)\b/;

/** Sends statements about people to the home database, and all others to the program's shard. */
export class TwoDatabases {
  readonly books: DatabaseClient;
  readonly atHome: DatabaseClient;

  constructor({ homeUrl, url }: ProgramDatabases) {
    this.atHome = openDatabaseClient(homeUrl);
    this.books = url === homeUrl ? this.atHome : openDatabaseClient(url);
  }

  of(statement: SentStatement): DatabaseClient {
    return ofHome.test(sqlOf(statement)) ? this.atHome : this.books;
  }
}
