import { PREVIEW_ORDER } from '../contract/preview-operation.js';
import { isRejected, type OrRejection } from '../model/rejection.js';
import type { SignedEndpoint, SignedRequest } from './endpoint.js';
import { OK } from './errors.js';
import type { ForetoldOrder, OrderPreview } from './order-preview.js';
import { isJsonObject } from './parse/json-field.js';
import { previewText } from './present/preview.js';

export interface PreviewEndpointParts {
  readonly preview: OrderPreview;
}

/** What would come of an order; it works while nothing new is placed, for it places nothing. */
export function previewEndpoint({ preview }: PreviewEndpointParts): SignedEndpoint {
  return { ...PREVIEW_ORDER, reuse: 'remembered', handle: (request) => foretell(preview, request) };
}

function foretell(preview: OrderPreview, { call, account, apiKey, body }: SignedRequest): void {
  if (!isJsonObject(body)) return call.refuse({ code: 'INVALID_REQUEST', message: 'the body is not an object' });
  preview.foretell(
    { account, apiKey },
    body,
    call.guarded((foretold: OrRejection<ForetoldOrder>) => {
      if (isRejected(foretold)) call.refuse(foretold.rejection);
      else call.answer(OK, previewText(foretold));
    }),
  );
}
