#!/bin/sh
# A signed POST and a signed GET with curl and openssl.
#
#     SLUICE_URL=http://127.0.0.1:8080 SLUICE_API_KEY=… SLUICE_API_SECRET=… sh rest.sh
set -eu

url="${SLUICE_URL:-http://127.0.0.1:8080}"
# The HMAC key is the decoded secret. A secret with - or _ has the URL-safe alphabet of Base64.
key=$(printf '%s' "$SLUICE_API_SECRET" | tr '_-' '/+' | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')

# request METHOD PATH QUERY BODY: the query has its keys in alphabetical order; the body of a GET is empty.
request() {
  timestamp=$(date +%s%3N)
  nonce=$(openssl rand -hex 16)
  digest=$(printf '%s' "$4" | openssl dgst -sha256 -r | cut -d ' ' -f 1)
  sign=$(printf '2\n%s\n%s\n%s\n%s\n%s\n5000\n%s\n%s' "$1" "$2" "$3" "$timestamp" "$SLUICE_API_KEY" "$nonce" "$digest" |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
  set -- "$url$2${3:+?$3}" ${4:+--data "$4"}
  curl --silent --show-error "$@" -H 'Content-Type: application/json' -H "X-API-KEY: $SLUICE_API_KEY" \
    -H "X-TIMESTAMP: $timestamp" -H 'X-RECV-WINDOW: 5000' -H 'X-SIGN-VERSION: 2' -H "X-NONCE: $nonce" -H "X-SIGN: $sign"
  echo
}

id="shell-$(date +%s)-$$"
request POST /api/v2/trading/order/create '' \
  '{"exchange":"BINANCE","symbol":"BTC/USDT","asset_category":"SPOT","side":"BUY","quantity":"0.01","strategy":"LIMIT","limit_price":"50000","client_order_id":"'"$id"'"}'
request GET /api/v2/trading/order/byId "clientOrderIds=$id&include_params=true" ''
request POST /api/v2/trading/order/cancel '' '{"client_order_id":"'"$id"'"}'
