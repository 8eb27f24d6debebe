"""getPayout as a service written with FastAPI and asyncpg answers it. peers/mod.rs starts it."""

import contextlib
import hashlib
import json
import os
import socket

import asyncpg
import fastapi
import uvicorn

STATEMENT = os.environ["STATEMENT"]


@contextlib.asynccontextmanager
async def database(app):
    size = int(os.environ["CONNECTIONS"])
    app.pool = await asyncpg.create_pool(min_size=size, max_size=size)
    yield


app = fastapi.FastAPI(lifespan=database)


@app.get("/api/v1/payouts/{id}")
async def get_payout(id: str, request: fastapi.Request, response: fastapi.Response):
    key = hashlib.sha256(request.headers["x-api-key"].encode()).digest()
    row = await app.pool.fetchrow(STATEMENT, key, id)
    limit, credits, used, spent = row[23], row[24], row[25], row[27]
    response.headers["x-ratelimit-limit-minute"] = str(limit)
    response.headers["x-ratelimit-remaining-minute"] = str(limit - used)
    response.headers["x-service-credits-limit-month"] = str(credits)
    response.headers["x-service-credits-remaining-month"] = str(credits - spent)
    return {
        "data": {
            "id": row[0], "partner": {"id": row[1], "name": row[2]}, "batchId": row[3],
            "periodStart": row[4], "periodEnd": row[5], "amount": str(row[6]), "currency": row[7],
            "stage": row[8], "poNumber": row[9], "metadata": json.loads(row[10] or "null"),
            "createdAt": row[11], "updatedAt": row[12],
        }
    }


# With the protocol named, asyncio sets TCP_NODELAY.
listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
listener.bind(("127.0.0.1", 0))
listener.listen(1024)
print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listener])
