import { Random } from '../torture/random.js';
import { AnswerChecker } from './answer-checker.js';
import { AnswerSchemas } from './answer-schemas.js';
import { ApiDocument } from './api-document.js';
import { type BrokenPlan, breakRequest } from './broken-http.js';
import { stormConnections } from './connection-storm.js';
import { type Finding, Findings, findingText } from './findings.js';
import { type KnownInstrument, KnownWorld } from './known-world.js';
import { ClientConnections } from './client-connections.js';
import { type MemoryFigure, memoryOf } from './memory-watch.js';
import { OrderLedger } from './order-ledger.js';
import { planRequest, type RequestPlan } from './request-plan.js';
import { SchemaSet } from './schema-set.js';
import { settle } from './settlement.js';
import { planSignature, type SignaturePlan } from './signature-plan.js';
import { planSession, type SessionPlan } from './session-plan.js';
import { planStream, type StreamPlan } from './stream-plan.js';
import type { Target } from './target.js';
import { sendPieces, WireConnection, type Outcome } from './wire-connection.js';

export interface CampaignOptions {
  readonly target: Target;
  readonly requests: number;
  /** Frames of sessions; the run then sends nothing else. absent: `requests` of every kind. */
  readonly sessionFrames?: number | undefined;
  readonly seed: number;
  /** Number of equal parts of the run. After each part all orders are ended and memory is measured. */
  readonly phases: number;
  /** Streams opened and dropped in each phase. */
  readonly stormStreams: number;
  /** Process id of the service; null for a remote service. */
  readonly pid: number | null;
  /** Weights of operations by name; absent: the defaults. */
  readonly weights?: Readonly<Record<string, number>> | undefined;
  readonly log: (text: string) => void;
}

export interface CampaignReport {
  readonly requests: number;
  /** Frames of sessions, with the pings between them. */
  readonly sessionFrames: number;
  /** Acknowledged orders. */
  readonly orders: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly answerMsMax: number;
  readonly memory: readonly MemoryFigure[];
  readonly findings: readonly Finding[];
}

interface OpenOrder {
  readonly order_id: number;
  readonly client_order_id?: string;
}

type Plan = RequestPlan | BrokenPlan | SignaturePlan | StreamPlan | SessionPlan;

const CLIENTS_COUNT = 64;
const LOG_EVERY = 10_000;
/** Far longer than the service's own limits on a loaded machine, so a later answer counts as missing. */
const ANSWER_WAIT_MS = 120_000;
const BROKEN_SHARE = 0.04;
const STREAM_SHARE = 0.03;
const SIGNATURE_SHARE = 0.03;
const SESSION_SHARE = 0.05;
/** Distance between the seeds of consecutive requests, large for any seed of the run. */
const SEED_STEP = 0x9e37_79b1;

/** Reads the service's documents and instruments, then sends all requests and checks their answers. */
export class Campaign {
  readonly #options: CampaignOptions;
  readonly #document: ApiDocument;
  readonly #streamSchemas: SchemaSet;
  readonly #schemas: AnswerSchemas;
  readonly #checker: AnswerChecker;
  readonly #world: KnownWorld;
  readonly #ledger: OrderLedger;
  readonly #findings: Findings;
  readonly #statuses = new Map<string, number>();
  readonly #beganMs = performance.now();
  #next = 0;
  #sessionFrames = 0;
  #orders = 0;
  #answerMsMax = 0;

  private constructor(options: CampaignOptions, openApi: object, asyncApi: object, world: KnownWorld) {
    this.#options = options;
    this.#findings = new Findings((finding) => options.log(findingText(finding, options.seed)));
    this.#document = new ApiDocument(openApi);
    this.#streamSchemas = new SchemaSet(asyncApi);
    this.#schemas = new AnswerSchemas(this.#document, asyncApi);
    this.#checker = new AnswerChecker(this.#schemas);
    this.#world = world;
    this.#ledger = new OrderLedger(world);
  }

  static async begin(options: CampaignOptions): Promise<Campaign> {
    const { target } = options;
    const openApi = (await target.get('/openapi.json')) as object;
    const asyncApi = (await target.get('/asyncapi.json')) as object;
    const instruments = (await target.get('/api/v2/data/instruments')) as KnownInstrument[];
    const exchanges = (await target.get('/api/v2/data/exchanges')) as { exchange: string }[];
    const rates = (await target.get('/api/v2/data/lastFundingRates')) as { symbol: string; markPrice?: number }[];
    const tradable = new Set(exchanges.map(({ exchange }) => exchange));
    const listed = instruments.filter(({ exchange }) => tradable.has(exchange));
    const { orders } = (await target.get('/api/v2/trading/order/open')) as { orders: OpenOrder[] };
    const world = new KnownWorld(listed, rates);
    for (const { order_id: orderId, client_order_id: clientOrderId } of orders) world.learn({ orderId, clientOrderId });
    return new Campaign(options, openApi, asyncApi, world);
  }

  async run(): Promise<CampaignReport> {
    const memory: MemoryFigure[] = [];
    try {
      for (let phase = 1; phase <= this.#options.phases; phase += 1) await this.#runPhase(phase, memory);
    } catch (error) {
      // Earlier findings may explain the error.
      this.#findings.add({ what: `the run stopped: ${String(error)}` });
    }
    return {
      requests: this.#next,
      sessionFrames: this.#sessionFrames,
      orders: this.#orders,
      statuses: Object.fromEntries([...this.#statuses].sort(([one], [other]) => one.localeCompare(other))),
      answerMsMax: Math.round(this.#answerMsMax),
      memory,
      findings: this.#findings.list,
    };
  }

  async #runPhase(phase: number, memory: MemoryFigure[]): Promise<void> {
    const { requests, sessionFrames, phases, log, pid } = this.#options;
    const part = phase / phases;
    const isOver = (): boolean =>
      sessionFrames === undefined
        ? this.#next >= Math.floor(requests * part)
        : this.#sessionFrames >= Math.floor(sessionFrames * part);
    await this.#runUntil(isOver);
    await this.#settle();
    if (pid !== null) memory.push(await memoryOf(pid));
    log(`${this.#progress()}, ${this.#orders} orders, memory ${JSON.stringify(memory.at(-1) ?? null)}`);
  }

  #progress(): string {
    return `${this.#next} requests, ${this.#sessionFrames} frames of sessions in ${Math.round((performance.now() - this.#beganMs) / 1000)} s, ${this.#findings.list.length} findings`;
  }

  async #runUntil(isOver: () => boolean): Promise<void> {
    const storm = this.#storm();
    await Promise.all(Array.from({ length: CLIENTS_COUNT }, (_, number) => this.#client(number, isOver)));
    await storm;
  }

  /** Sends requests one after the other on a connection and a stream, which are reopened when they close. */
  async #client(number: number, isOver: () => boolean): Promise<void> {
    const { target } = this.#options;
    const client = new ClientConnections({
      target,
      sessionKey: target.sessionKeyOf(number),
      schemas: this.#schemas,
      onCreated: (status, data) => this.#ledger.note({ status, body: Buffer.from(JSON.stringify(data ?? {})) }),
    });
    while (!isOver()) {
      const index = this.#next;
      this.#next += 1;
      if (this.#next % LOG_EVERY === 0) this.#options.log(this.#progress());
      const plan = this.#plan(index);
      const problem = await this.#perform(plan, client).catch((error: unknown) => String(error));
      if (problem !== null) this.#findings.add({ index, what: problem, sent: sentBy(plan) });
    }
    client.close();
  }

  #plan(index: number): Plan {
    const random = new Random(this.#options.seed + index * SEED_STEP);
    const { target, weights = {}, sessionFrames } = this.#options;
    const sources = { document: this.#document, world: this.#world, key: target.key, weights };
    const nowMs = Date.now();
    const chance = random.next();
    if (sessionFrames !== undefined) return planSession(sources, random, nowMs);
    if (chance < STREAM_SHARE) return planStream(this.#streamSchemas, this.#world, random, nowMs);
    if (chance < STREAM_SHARE + SIGNATURE_SHARE) return planSignature(sources, random, nowMs);
    if (chance < STREAM_SHARE + SIGNATURE_SHARE + SESSION_SHARE) return planSession(sources, random, nowMs);
    const request = planRequest(sources, random, nowMs);
    return chance > 1 - BROKEN_SHARE ? breakRequest(request.bytes, random) : request;
  }

  async #perform(plan: Plan, client: ClientConnections): Promise<string | null> {
    switch (plan.kind) {
      case 'request':
        return this.#ask(plan, client);
      case 'broken': {
        const { answers, garbled } = await sendPieces(this.#options.target.address, plan.pieces, plan.end);
        for (const answer of answers) this.#ledger.note(answer);
        this.#count('broken', answers.length === 0 ? 'no answer' : String(answers[0]?.status));
        return this.#checker.ofBroken(answers, garbled);
      }
      case 'signature':
        return this.#misuse(plan, client);
      case 'stream':
        this.#count('stream', 'visits');
        return (await client.stream()).act(plan, ANSWER_WAIT_MS);
      case 'session':
        return this.#visitSession(plan, client);
    }
  }

  async #visitSession(plan: SessionPlan, client: ClientConnections): Promise<string | null> {
    this.#count('session', 'visits');
    this.#sessionFrames += plan.frames.length + Number(plan.raw !== null) + 1;
    if (plan.authentication === 'done') return (await client.session()).act(plan);
    const fresh = await client.freshSession();
    const complaint = await fresh.act(plan);
    fresh.close();
    return complaint;
  }

  async #ask(plan: RequestPlan, client: ClientConnections): Promise<string | null> {
    return this.#checked(plan, await this.#exchange(plan, await client.connection()));
  }

  /** Checks each answer by itself, and all of them by the rules of signatures. */
  async #misuse({ requests, isParallel, complaint }: SignaturePlan, client: ClientConnections): Promise<string | null> {
    const outcomes: Outcome[] = [];
    const ask = async (plan: RequestPlan, index: number): Promise<string | null> => {
      const connection = isParallel
        ? await WireConnection.open(this.#options.target.address)
        : await client.connection();
      const outcome = await this.#exchange(plan, connection);
      outcomes[index] = outcome;
      if (isParallel) connection.close();
      return this.#checked(plan, outcome);
    };
    const problems: (string | null)[] = [];
    if (isParallel) problems.push(...(await Promise.all(requests.map(ask))));
    else for (const [index, plan] of requests.entries()) problems.push(await ask(plan, index));
    const answers = outcomes.map((outcome) => (outcome.kind === 'answer' ? outcome.answer : null));
    return problems.find((problem) => problem !== null) ?? complaint(answers);
  }

  #exchange({ bytes, method }: RequestPlan, connection: WireConnection): Promise<Outcome> {
    return connection.exchange(bytes, method === 'HEAD', ANSWER_WAIT_MS);
  }

  #checked(plan: RequestPlan, outcome: Outcome): string | null {
    if (outcome.kind === 'answer') {
      this.#ledger.note(outcome.answer);
      this.#answerMsMax = Math.max(this.#answerMsMax, outcome.tookMs);
    }
    this.#count(plan.flaw, outcome.kind === 'answer' ? String(outcome.answer.status) : outcome.kind);
    return this.#checker.ofRequest(plan, outcome);
  }

  #count(kind: string, result: string): void {
    const name = `${kind}: ${result}`;
    this.#statuses.set(name, (this.#statuses.get(name) ?? 0) + 1);
  }

  async #storm(): Promise<void> {
    const { target, stormStreams } = this.#options;
    const url = target.streamUrl((await target.get('/api/v2/trading/listenKey')) as string);
    for (const what of await stormConnections(url, stormStreams, ANSWER_WAIT_MS)) this.#findings.add({ what });
  }

  async #settle(): Promise<void> {
    const acknowledged = this.#ledger.take();
    this.#orders += acknowledged.length;
    for (const what of await settle(this.#options.target, acknowledged)) this.#findings.add({ what });
  }
}

/** Returns all bytes of a plan as text. */
function sentBy(plan: Plan): string {
  switch (plan.kind) {
    case 'request':
      return plan.bytes.toString('latin1');
    case 'signature':
      return `${plan.name}: ${plan.requests.map(({ bytes }) => bytes.toString('latin1')).join(' | ')}`;
    case 'broken':
      return `${plan.name}, ${plan.end}: ${Buffer.concat(plan.pieces).toString('latin1')}`;
    case 'stream':
    case 'session': {
      const frames = plan.frames.map(({ data }) => Buffer.from(data).toString('latin1'));
      return `${plan.name}: ${[...frames, plan.raw?.toString('latin1') ?? ''].join(' | ')}`;
    }
  }
}
