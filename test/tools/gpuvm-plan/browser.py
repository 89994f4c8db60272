"""A headless Chromium that looks at pages of gpuvm-plan html, through Selenium."""

import json
import os
import pathlib
import time
import urllib.parse

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

KEYS = Keys
WIDTH, HEIGHT = 1280, 800
# One font, whatever others there are: that of fonts-dejavu-core.
os.environ["FONTCONFIG_FILE"] = str(pathlib.Path(__file__).with_name("fonts.conf"))


class Browser:
    def __init__(self):
        options = webdriver.ChromeOptions()
        # The sandbox of Chromium wants rights that a container has not.
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                     "--force-device-scale-factor=1", "--font-render-hinting=none", "--force-prefers-reduced-motion"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_script_timeout(180)  # Machines may be busy with other tests.
        # Times of the page's thread alone: other programs run meanwhile.
        self.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def open(self, path, fragment=""):
        """A page as a link opens it, with nothing left of another."""
        self.driver.get("about:blank")
        self.driver.get(f"file://{urllib.parse.quote(str(path))}{'#' if fragment else ''}{fragment}")
        self.settle()

    def settle(self):
        """Waits until the graph is placed and drawn."""
        self.until(lambda: self.run("return document.querySelector('#page > header') && !document.querySelector('[aria-busy]')"))
        self.run("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not (value := condition()):
            assert time.monotonic() < end, "the page does not do what is waited for"
            time.sleep(0.02)
        return value

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector):
        self.one(selector).click()
        self.settle()

    def view(self, name):
        self.click(f"#tab-{name}")

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map(each => each.textContent)", selector)

    @property
    def fragment(self):
        return dict(urllib.parse.parse_qsl(self.run("return location.hash").lstrip("#")))

    def type(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def complaints(self):
        """What the browser has complained of, errors of scripts among them."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def fetched(self):
        """What the page has got from outside of its file."""
        return self.run("return performance.getEntriesByType('resource').map(each => each.name).filter(name => !name.startsWith('blob:'))")

    def first_paint_ms(self):
        return self.until(lambda: self.run("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"))

    def cpu_ms(self):
        """What the page's thread has computed since it was opened."""
        metrics = self.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return 1e3 * next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    def picture(self):
        """What is seen, as the bytes of a PNG."""
        return self.driver.get_screenshot_as_png()


def plan_of(path):
    """The plan that a page shows."""
    text = path.read_text()
    begin = text.index('id="data">') + len('id="data">')
    return json.loads(text[begin:text.index("</script>", begin)])
