/** The parts of the library that send one order. */
interface Library {
  readonly urls: { readonly api: Record<string, unknown> };
  loadProxyModules(): Promise<unknown>;
  loadHttpProxyAgent(): Promise<unknown>;
  fapiPrivatePostOrder(fields: object): Promise<unknown>;
  close(): Promise<unknown>;
}

export interface BareLibrary {
  /** Resolves when the exchange has acknowledged the order. */
  place(id: number): Promise<void>;
  close(): Promise<void>;
}

/** Orders by ccxt alone: its signature and its request, without a check of what leaves. `rest`: a scheme and a host. */
export async function openLibrary(rest: string, apiKey: string, secret: string): Promise<BareLibrary> {
  const module = new URL('./src/binance.js', import.meta.resolve('ccxt')).href;
  const { default: Exchange } = (await import(module)) as { readonly default: new (settings: object) => Library };
  const options = { broker: {}, fetchCurrencies: false };
  const library = new Exchange({ apiKey, secret, timeout: 3_000, enableRateLimit: false, options });
  library.urls.api['fapiPrivate'] = `${rest}/fapi/v1`;
  await library.loadProxyModules();
  // It wants this for an address without TLS.
  await library.loadHttpProxyAgent();
  return {
    place: async (id) => {
      await library.fapiPrivatePostOrder({
        symbol: 'BTCUSDT',
        side: 'BUY',
        type: 'LIMIT',
        timeInForce: 'IOC',
        quantity: '0.01',
        price: '49000',
        newClientOrderId: `bare-${id}`,
        newOrderRespType: 'RESULT',
      });
    },
    close: async () => {
      await library.close();
    },
  };
}
