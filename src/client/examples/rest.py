#!/usr/bin/env python3
"""Signs requests, places an order and follows it, with the standard library only.

    SLUICE_URL=http://127.0.0.1:8080 SLUICE_API_KEY=... SLUICE_API_SECRET=... python3 rest.py

The standard library has no WebSocket, so the order is followed by polling. Python 3.9 or later.
"""

import base64
import hashlib
import hmac
import json
import os
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ.get("SLUICE_URL", "http://127.0.0.1:8080")
API_KEY = os.environ["SLUICE_API_KEY"]
# A secret with "-" or "_" has the URL-safe alphabet of Base64.
SECRET = base64.b64decode(os.environ["SLUICE_API_SECRET"].translate(str.maketrans("-_", "+/")) + "==")
RECV_WINDOW_MS = "5000"
FINAL = {"REJECTED", "FILLED", "CANCELLED", "EXPIRED"}


def request(method, path, query=None, body=None):
    """Sends a request signed with version 2. Returns the parsed answer; raises HTTPError for a refusal."""
    # The query is signed as it is sent: keys in alphabetical order, lists joined by commas.
    text = urllib.parse.urlencode(sorted((query or {}).items()), safe=",", quote_via=urllib.parse.quote)
    data = b"" if body is None else json.dumps(body).encode()
    timestamp = str(int(time.time() * 1000))
    nonce = secrets.token_hex(16)
    digest = hashlib.sha256(data).hexdigest()
    lines = ["2", method, path, text, timestamp, API_KEY, RECV_WINDOW_MS, nonce, digest]
    signature = hmac.new(SECRET, "\n".join(lines).encode(), hashlib.sha256).digest()
    headers = {
        "X-API-KEY": API_KEY,
        "X-TIMESTAMP": timestamp,
        "X-RECV-WINDOW": RECV_WINDOW_MS,
        "X-SIGN-VERSION": "2",
        "X-NONCE": nonce,
        "X-SIGN": base64.b64encode(signature).decode(),
        "Content-Type": "application/json",
    }
    target = URL + path + (f"?{text}" if text else "")
    sent = urllib.request.Request(target, data if method == "POST" else None, headers, method=method)
    with urllib.request.urlopen(sent, timeout=15) as answer:
        # parse_float=str keeps all digits of decimals.
        return json.load(answer, parse_float=str)


def main():
    client_order_id = f"python-{time.time_ns()}"
    order = {
        "client_order_id": client_order_id,
        "exchange": "BINANCE",
        "symbol": "BTC/USDT",
        "asset_category": "SPOT",
        "side": "BUY",
        "quantity": "0.01",
        "strategy": "MARKET",
    }
    summary = request("POST", "/api/v2/trading/order/create", body=order)
    if summary["status"] == "REJECTED":
        raise SystemExit(f"{summary['error_code']}: {summary['message']}")
    while summary["status"] not in FINAL:
        time.sleep(0.2)
        found = request("GET", "/api/v2/trading/order/byId", {"clientOrderIds": client_order_id, "include_trades": "true"})
        summary = found["orders"][0]
    print(summary["status"], summary["filled_quantity"], "at", summary["average_price"])

    try:
        request("POST", "/api/v2/trading/order/pause", body={"client_order_id": "no such order"})
    except urllib.error.HTTPError as refusal:
        error = json.load(refusal)
        print(refusal.code, error["error_code"], "-", error["message"])


if __name__ == "__main__":
    main()
